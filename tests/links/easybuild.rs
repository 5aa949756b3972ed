//! Easystacks and easyconfigs of EasyBuild.
use crate::check;

#[test]
fn easyconfigs_are_what_is_installed() {
    check(
        "easybuild",
        &[
            // options of the command, of an entry, and the variable
            (
                "COPY . /s\nRUN eb --easystack /s/stack.yml --robot --cuda-compute-capabilities=8.0\n== stack.yml\neasyconfigs:\n- PyTorch-2.1.2-foss-2023a-CUDA-12.1.1.eb\n- NCCL-2.18.3-GCCcore-12.3.0-CUDA-12.1.1.eb:\n    options: {cuda-compute-capabilities: '9.0'}\n- HDF5-1.14.0-gompi-2023a.eb\n",
                &[
                    "3 easybuild-list sm_80 < stack.yml:2",
                    "3 easybuild-list sm_90 < stack.yml:3",
                ],
            ),
            (
                "ENV EASYBUILD_CUDA_COMPUTE_CAPABILITIES=7.5,8.0\nRUN eb Hypre-2.29.0-foss-2023a-CUDA-12.1.1.eb -r\n",
                &["3 easybuild-list sm_75+sm_80"],
            ),
            // CUDA is the easyconfig's, not the image's
            (
                "FROM ubuntu:24.04\nRUN eb GROMACS-2024.4-foss-2023b-CUDA-12.4.0.eb --cuda-compute-capabilities=10.0\n",
                &["3 easybuild-list sm_100", "KIMG301:3"],
            ),
            (
                "COPY . /s\nRUN cd /s && eb ours-1.0.eb && eb theirs-1.0.eb\n== ours-1.0.eb\nname = 'ours'\ndependencies = [('CUDA', '12.1.1', '', SYSTEM)]\n== theirs-1.0.eb\nname = 'theirs'\n",
                &["3 easybuild? ", "KIMG101:3"],
            ),
            (
                "RUN eb ELPA-2023.05.001-foss-2023a-CUDA-12.1.1.eb --cuda-compute-capabilities=8.0,9.0\nRUN eb PyTorch-2.1.2-foss-2023a-CUDA-12.1.1.eb --cuda-compute-capabilities=80\n",
                &[
                    "2 easybuild-elpa ",
                    "3 easybuild-list ",
                    "KIMG105:2",
                    "KIMG105:3",
                ],
            ),
            (
                "RUN eb -S PyTorch && eb --fetch PyTorch-2.1.2-foss-2023a-CUDA-12.1.1.eb && eb deploy\n",
                &[],
            ),
        ],
    );
}
