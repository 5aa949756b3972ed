//! Days of the calendar.
use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, such as 2027-03-01, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i64,
    month: u8,
    day: u8,
}

/// Text that is not a day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day such as 2027-03-01")]
pub struct NotADate(pub String);

impl Date {
    /// The day that it is now, in UTC.
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::from_days(since.map_or(0, |since| since.as_secs() / 86_400))
    }

    /// The day that comes so many days after 1970-01-01.
    ///
    /// Counted in years that begin with March, so that a leap day is the last of its year: Howard Hinnant,
    /// "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    fn from_days(days: u64) -> Self {
        const DAYS_TO_1970: i64 = 719_468;
        const ERA: i64 = 146_097;
        let days = days as i64 + DAYS_TO_1970;
        let (era, day) = (days / ERA, days % ERA);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Self {
            year: era * 400 + year + i64::from(month <= 2),
            month: month as u8,
            day: day as u8,
        }
    }

    fn exists(self) -> bool {
        let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            2 => 28 + u8::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        (1..=days).contains(&self.day)
    }
}

/// The second that it is now, in UTC: `2026-11-30T12:00:00`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    let day = Date::from_days(seconds / 86_400);
    format!("{day}T{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// Reads `2027-03-01`.
impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let number = |at: std::ops::Range<usize>| {
            let digits = text.get(at)?;
            let all = digits.bytes().all(|b| b.is_ascii_digit());
            digits.parse().ok().filter(|_: &u16| all)
        };
        let read = || {
            let shape = text.len() == 10 && text.get(4..5)? == "-" && text.get(7..8)? == "-";
            let date = Self {
                year: i64::from(number(0..4)?),
                month: number(5..7)? as u8,
                day: number(8..10)? as u8,
            };
            (shape && date.exists()).then_some(date)
        };
        read().ok_or_else(|| NotADate(text.to_owned()))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (10_957, "2000-01-01"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(Date::from_days(days).to_string(), expected);
        }
    }

    #[test]
    fn days_are_read_and_stand_in_order() {
        let date = |text: &str| text.parse::<Date>();
        assert_eq!(date("2027-03-01").unwrap().to_string(), "2027-03-01");
        assert!(date("2027-03-01").unwrap() > date("2026-12-31").unwrap());
        assert!(date("2028-02-29").is_ok() && date("2000-02-29").is_ok());
        for bad in [
            "",
            "2027-3-1",
            "2027-02-29",
            "2100-02-29",
            "2027-13-01",
            "2027-00-01",
            "2027-01-00",
            "2027-04-31",
            "01-03-2027",
            "2027/03/01",
            "+027-03-01",
            "2027-03-01T00:00",
            "née-à-pari",
        ] {
            assert!(date(bad).is_err(), "{bad}");
        }
    }
}
