//! Environments and settings of spack.
use crate::check;

#[test]
fn an_environment_is_what_is_installed() {
    check(
        "spack-environment",
        &[
            // all of its specs, and what it asks of packages
            (
                "COPY env /env\nRUN spack -e /env install\n== env/spack.yaml\nspack:\n  specs:\n  - magma@2.8 +cuda\n  - zlib\n  - petsc\n  packages:\n    all:\n      variants: +cuda cuda_arch=80\n    petsc:\n      require: [cuda_arch=90]\n",
                &[
                    "3 spack-arch-required sm_80 < env/spack.yaml:3",
                    // +cuda is of all packages, the list of this one
                    "3 spack-cuda sm_90 < env/spack.yaml:5",
                ],
            ),
            // a matrix, a toolkit that the image has not, and a list that it does not know
            (
                "COPY . /env\nRUN cd /env && spack env activate . && spack install --fail-fast\n== spack.yaml\nspack:\n  definitions:\n  - apps: [hypre, slepc]\n  specs:\n  - matrix:\n    - [$apps]\n    - [+cuda cuda_arch=100]\n  packages:\n    cuda: {require: \"@12.4\"}\n",
                &[
                    "3 spack-arch-required sm_100 < spack.yaml:3",
                    "3 spack-cuda sm_100 < spack.yaml:3",
                    "KIMG301:3",
                    "KIMG301:3",
                ],
            ),
            // an environment by its name, and what is added to it
            (
                "COPY . /e\nRUN spack env create ours /e/spack.yaml && spack -e ours add xsbench+cuda && spack -e ours config add packages:all:variants:cuda_arch=70\nRUN spack -e ours install\n== spack.yaml\nspack: {specs: [zlib]}\n",
                &["4 spack-first-arch sm_70 < Dockerfile:3"],
            ),
            // what a command asks for is the environment's own
            (
                "COPY . /e\nRUN spack -D /e install hypre\n== spack.yaml\nspack: {specs: [hypre+cuda cuda_arch=80, magma+cuda]}\n",
                &["3 spack-arch-required sm_80"],
            ),
            // one of several requirements counts; a file that is not there may say anything
            (
                "COPY . /e\nRUN spack -e /e install\n== spack.yaml\nspack:\n  specs: [hypre+cuda]\n  packages: {all: {require: [{one_of: [cuda_arch=80, cuda_arch=90]}]}}\n",
                &["3 spack-arch-required  < spack.yaml:2", "KIMG004:3"],
            ),
            (
                "COPY . /e\nRUN spack -e /e install\n== spack.yaml\nspack: {specs: [hypre+cuda], include: [more.yaml]}\n",
                &["3 spack-arch-required  < spack.yaml:1", "KIMG101:3"],
            ),
            (
                "COPY . /e\nRUN spack -e /e install\n== spack.yaml\nspack: {specs: [hypre+cuda], include: [more.yaml]}\n== more.yaml\npackages: {hypre: {variants: cuda_arch=80}}\n",
                &["3 spack-arch-required sm_80 < spack.yaml:1"],
            ),
            // as spack's own templates write it
            (
                "RUN mkdir -p /e && (echo 'spack:' && echo '  specs:' && echo '  - magma+cuda') > /e/spack.yaml\nRUN cd /e && spack env activate . && spack install\n",
                &["3 spack-arch-required  < Dockerfile:2", "KIMG101:3"],
            ),
            // a named environment of a spack that lies elsewhere
            (
                "COPY spack.yaml /sw/var/spack/environments/ours/spack.yaml\nRUN . /sw/share/spack/setup-env.sh && spack env activate -p ours && spack install\n== spack.yaml\nspack: {specs: [hypre+cuda cuda_arch=80]}\n",
                &["3 spack-arch-required sm_80 < spack.yaml:1"],
            ),
            // the user's own settings
            (
                "COPY packages.yaml /root/.spack/\nRUN spack install magma && spack install magma cuda_arch=90\n== packages.yaml\npackages: {magma: {variants: [+cuda, cuda_arch=80]}}\n",
                &["3 spack-arch-required sm_80", "3 spack-arch-required sm_90"],
            ),
        ],
    );
}

#[test]
fn a_spec_has_its_own_toolkit_and_list() {
    check(
        "spack-spec",
        &[
            // nvcc is spack's, not the image's
            (
                "FROM ubuntu:24.04\nRUN spack install 'hypre +cuda cuda_arch=100 ^cuda@12.8' && spack install hypre+cuda cuda_arch=100 ^cuda@12.4\n",
                &[
                    "3 spack-arch-required sm_100",
                    "3 spack-arch-required sm_100",
                    "KIMG301:3",
                ],
            ),
            // of a dependency; what the package has is handed on to it
            (
                "RUN spack install ascent ^hypre+cuda cuda_arch=80\nRUN spack install petsc+cuda cuda_arch=80 ^hypre+cuda\n",
                &[
                    "2 spack-arch-required sm_80 < Dockerfile:2",
                    "3 spack-cuda sm_80",
                ],
            ),
            // several packages
            (
                "RUN spack install zlib magma+cuda cuda_arch=80,90 hypre\n",
                &["2 spack-arch-required sm_80+sm_90 < Dockerfile:2"],
            ),
            (
                "ARG ARCH\nRUN spack install magma+cuda cuda_arch=$ARCH\n",
                &["3 spack-arch-required ", "KIMG004:3"],
            ),
            (
                "RUN spack install magma+cuda cuda_arch=none\nRUN spack install magma+cuda cuda_arch=8.0\n",
                &[
                    "2 spack-arch-required ",
                    "3 spack-arch-required ",
                    "KIMG101:2",
                    "KIMG105:3",
                ],
            ),
            // no variable counts
            (
                "ENV CUDAARCHS=80\nRUN spack install magma+cuda\n",
                &["3 spack-arch-required ", "KIMG104:3"],
            ),
            (
                "RUN spack install --only dependencies magma+cuda && spack install --cache-only magma+cuda && spack install --fake magma+cuda\n",
                &[],
            ),
        ],
    );
}
