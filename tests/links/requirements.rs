//! Files of requirements and constraints.
use crate::check;

#[test]
fn requirements_are_what_is_installed() {
    check(
        "requirements",
        &[
            (
                "COPY requirements.txt /tmp/\nRUN pip install -r /tmp/requirements.txt\n== requirements.txt\nnumpy\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch\n",
                &["3 tiny-cuda-nn-torch  < requirements.txt:2", "KIMG101:3"],
            ),
            (
                "ENV TCNN_CUDA_ARCHITECTURES=80\nCOPY . .\nRUN pip install -r a/b.txt\n== a/b.txt\n-r ../c.txt\n== c.txt\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch ; sys_platform == 'linux'\n",
                &["4 tiny-cuda-nn-torch sm_80+compute_80 < c.txt:1"],
            ),
            // the base image says where a stage begins
            (
                "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\nCOPY a.txt .\nRUN pip install -r /workspace/a.txt\n== a.txt\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch\n",
                &["4 tiny-cuda-nn-torch  < a.txt:1", "KIMG101:4"],
            ),
            (
                "COPY . .\nRUN pip install -r a.txt\n== a.txt\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch ; sys_platform == 'win32'\n",
                &[],
            ),
        ],
    );
}

#[test]
fn loops_and_missing_files_are_said() {
    check(
        "requirements-loops",
        &[
            (
                "COPY . .\nRUN pip install -r a.txt\n== a.txt\n-r b.txt\n== b.txt\n-r a.txt\n",
                &["KIMG005:3"],
            ),
            (
                "COPY . .\nRUN pip install -r a.txt\n== a.txt\n-r b.txt\n",
                &["KIMG005:3"],
            ),
            (
                "COPY . .\nRUN pip install -r gone.txt -c gone.txt\n",
                &["KIMG005:3"],
            ),
            // an address is no path: nothing of that name is looked for
            (
                "RUN pip install -r https://example.com/a.txt\n",
                &["KIMG005:2"],
            ),
            (
                "COPY . .\nRUN pip install -r b/a.txt\n== b/a.txt\n-r https://example.com/a.txt\n== b/https:/example.com/a.txt\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch\n",
                &["KIMG005:3"],
            ),
        ],
    );
}
