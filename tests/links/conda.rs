//! Environment files of conda.
use crate::check;

#[test]
fn environments_are_what_is_installed() {
    check(
        "conda-environment",
        &[
            // torch of a channel, then what pip builds with it
            (
                "COPY . .\nRUN conda env create -f ci/environment.yml\n== ci/environment.yml\nname: x\nchannels: [pytorch, nvidia]\ndependencies:\n- pytorch=2.5.1\n- cmake\n- pip:\n  - --no-build-isolation\n  - git+https://github.com/nerfstudio-project/gsplat\n",
                &["3 gsplat  < ci/environment.yml:8", "KIMG101:3"],
            ),
            // what pip reads is seen from the folder of the file
            (
                "ENV TORCH_CUDA_ARCH_LIST=9.0+PTX\nCOPY . .\nRUN mamba env update --file ci/environment.yaml\n== ci/environment.yaml\ndependencies:\n- pytorch=2.5.1\n- pip:\n  - --no-build-isolation\n  - -r more.txt\n== ci/more.txt\ngit+https://github.com/nerfstudio-project/gsplat\n",
                &["4 gsplat sm_90+compute_90 < ci/more.txt:1"],
            ),
            (
                "COPY . .\nRUN micromamba install -y -n base -f env.yml\n== env.yml\ndependencies:\n- {pip: [tiny-cuda-nn @ git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch]}\n",
                &["3 tiny-cuda-nn-torch  < env.yml:2", "KIMG101:3"],
            ),
            // without a name it is environment.yml; a list for `conda install` is no YAML
            (
                "COPY . .\nRUN conda env create && conda install --file list.txt\n== environment.yml\ndependencies: [numpy]\n== list.txt\n# packages\npytorch=2.5.1\n",
                &[],
            ),
        ],
    );
}

#[test]
fn variables_are_set_where_the_environment_is_active() {
    check(
        "conda-variables",
        &[(
            "COPY . .\nRUN conda env create -f e.yml\nRUN conda run -n x pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\nRUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\nSHELL [\"conda\", \"run\", \"-n\", \"x\", \"/bin/bash\", \"-c\"]\nRUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n== e.yml\ndependencies: [pytorch=2.5.1]\nvariables:\n  TORCH_CUDA_ARCH_LIST: 9.0+PTX\n",
            &[
                "4 gsplat sm_90+compute_90",
                "5 gsplat ",
                "7 gsplat sm_90+compute_90",
                "KIMG101:5",
            ],
        )],
    );
}
