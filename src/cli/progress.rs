//! A progress bar on stderr, on a terminal only.
use crate::artifact::Meter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs `work` and meanwhile shows how far `meter` is.
pub(super) fn watch<R>(meter: &Meter, work: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            // What takes less than this needs no bar.
            if ended.recv_timeout(Duration::from_millis(500)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar =
                ProgressBar::with_draw_target(Some(meter.total()), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            while ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.set_length(meter.total());
                bar.set_position(meter.done());
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
