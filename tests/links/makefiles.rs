//! Makefiles.
use crate::check;

#[test]
fn recipes_are_followed() {
    check(
        "makefiles",
        &[
            (
                "COPY . .\nRUN make\n== Makefile\nARCH ?= 80\nall: a\na: a.cu\n\tnvcc -arch=sm_$(ARCH) $< -o $@\n",
                &["3 nvcc sm_80+compute_80 < Makefile:4"],
            ),
            // the command line wins over the file, the file over the environment, and `?=` over nothing
            (
                "COPY . .\nENV A=70 B=75 C=72\nRUN make D=89 x\n== Makefile\nA = 80\nB ?= 86\nD = 90\nx:\n\tnvcc -arch=sm_$(A) a.cu\n\tnvcc -arch=sm_$(B) b.cu\n\tnvcc -arch=sm_$C c.cu\n\tnvcc -arch=sm_$(D) d.cu\n",
                &[
                    "4 nvcc sm_80+compute_80 < Makefile:5",
                    "4 nvcc sm_75+compute_75 < Makefile:6",
                    "4 nvcc sm_72+compute_72 < Makefile:7",
                    "4 nvcc sm_89+compute_89 < Makefile:8",
                ],
            ),
            (
                "COPY src /src\nRUN make -C /src -f my.mk b.o\n== src/my.mk\nNVCC := $(shell which nvcc)\nSMS = 80 90\nFLAGS := -O3\n$(foreach sm,$(SMS),$(eval FLAGS += -gencode arch=compute_$(sm),code=sm_$(sm)))\n%.o: %.cu\n\t@$(NVCC) $(FLAGS) -c $< -o $@\n",
                &["3 nvcc sm_80+sm_90 < src/my.mk:6", "KIMG204:3"],
            ),
            // a rule that fits what it needs itself comes once in a chain
            (
                "COPY . .\nRUN make a\n== Makefile\n%: %.cu\n\tnvcc -arch=sm_80 $< -o $@\n",
                &["3 nvcc sm_80+compute_80 < Makefile:2"],
            ),
            // what is exported reaches the recipe, the rest does not
            (
                "COPY . .\nRUN make\n== Makefile\nexport A = 80\nB = 90\nall:\n\tnvcc -arch=sm_$$A a.cu; nvcc -arch=sm_$${B:-75} b.cu\n",
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:4",
                    "3 nvcc sm_75+compute_75 < Makefile:4",
                ],
            ),
            (
                "COPY . .\nRUN make ONE=1\n== Makefile\ninclude more.mk\nifeq ($(ONE),1)\nA = 80\nelse\nA = 90\nendif\nall: ; $(call compile,$(A))\n== more.mk\ncompile = nvcc -arch=sm_$(1) a.cu\n",
                &["3 nvcc sm_80+compute_80 < Makefile:7"],
            ),
            // make that runs make
            (
                "COPY . .\nRUN make A=86\n== Makefile\nall:\n\t$(MAKE) -C sub it\n== sub/Makefile\nA = 80\nit:\n\tnvcc -arch=sm_$(A) a.cu\n",
                &["3 nvcc sm_86+compute_86 < sub/Makefile:3 < Makefile:2"],
            ),
            // a package that is built by a recipe
            (
                "COPY . .\nRUN . ./env && make install\n== env\n== Makefile\ninstall: clone\n\tcd tcnn && TCNN_CUDA_ARCHITECTURES=80 pip install bindings/torch\nclone:\n\tgit clone https://github.com/NVlabs/tiny-cuda-nn tcnn\n",
                &["3 tiny-cuda-nn-torch sm_80+compute_80 < Makefile:2"],
            ),
        ],
    );
}

/// What cannot be decided leaves alternatives, and what has nothing to do with device code leaves none.
#[test]
fn undecided_conditions_leave_alternatives() {
    let open = "ifeq ($(shell ls),x)";
    check(
        "makefiles-either",
        &[
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\nF = -O3\n{open}\nF += -arch=sm_80\nendif\nall:\n\tnvcc $(F) a.cu\n"
                ),
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:6",
                    "3 nvcc sm_52+compute_52 < Makefile:6",
                    "KIMG101:3",
                ],
            ),
            // the same condition is one, whatever hangs on it
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\n{open}\nA = 80\nB := 80\nelse\nA = 90\nB := 90\nendif\nC := $(A)\nall:\n\tnvcc -gencode arch=compute_$(C),code=sm_$(B) a.cu\n"
                ),
                &[
                    "3 nvcc sm_80 < Makefile:10",
                    "3 nvcc sm_90 < Makefile:10",
                    "KIMG204:3",
                ],
            ),
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\n{open}\nL += -lnccl\nD = -DUSE_MPI\nendif\nifneq ($(shell ls),)\nelse\nL += -lm\nendif\nF := -arch=sm_80 $(L)\nall:\n\tnvcc $(F) $(D) a.cu $(L)\n"
                ),
                &["3 nvcc sm_80+compute_80 < Makefile:11"],
            ),
            // a target that one arm alone makes is built perhaps
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\nT = a\n{open}\nT += b\nendif\nall: $(T)\na:\n\tnvcc -arch=sm_80 a.cu\nb:\n\tnvcc -arch=sm_90 b.cu\n"
                ),
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:7",
                    "3 nvcc? sm_90+compute_90 < Makefile:9",
                ],
            ),
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\n{open}\nall:\n\tnvcc -arch=sm_80 a.cu\nelse\nall:\n\tnvcc -arch=sm_90 a.cu\nendif\n"
                ),
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:3",
                    "3 nvcc sm_90+compute_90 < Makefile:6",
                ],
            ),
            // `?=` under a condition fills what is not set
            (
                &format!(
                    "COPY . .\nRUN make\n== Makefile\n{open}\nA ?= 80\nendif\nA ?= 90\nall:\n\tnvcc -arch=sm_$(A) a.cu\n"
                ),
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:6",
                    "3 nvcc sm_90+compute_90 < Makefile:6",
                ],
            ),
            // a loop of the shell around it
            (
                "COPY . .\nRUN for A in 80 90; do export A; make; done\n== Makefile\nall:\n\tnvcc -arch=sm_$(A) a.cu\n",
                &[
                    "3 nvcc sm_80+compute_80 < Makefile:2",
                    "3 nvcc sm_90+compute_90 < Makefile:2",
                ],
            ),
        ],
    );
}

#[test]
fn a_directory_without_a_makefile_stops_make() {
    check(
        "makefiles-none",
        &[
            (
                "COPY . .\nENV LLAMA_CUBLAS=1 CUDA_DOCKER_ARCH=all\nRUN make\n== llama.h\n",
                &["4 llama.cpp ", "KIMG104:4"],
            ),
            // what nothing is known of may hold one
            (
                "WORKDIR /x\nENV LLAMA_CUBLAS=1 CUDA_DOCKER_ARCH=sm_80\nRUN make\n== llama.h\n",
                &["4 llama.cpp? "],
            ),
        ],
    );
}

#[test]
fn what_make_cannot_be_followed_in_is_said() {
    check(
        "makefiles-not",
        &[
            (
                "COPY . .\nRUN make\n== Makefile\nall:\n\t$(MAKE) all\n\tnvcc -arch=sm_80 a.cu\n",
                &["3 nvcc sm_80+compute_80 < Makefile:3", "KIMG005:3"],
            ),
            ("COPY . .\nRUN make -f gone.mk\n", &["KIMG005:3"]),
            (
                "COPY . .\nRUN make\n== Makefile\ninclude gone.mk\nall:\n",
                &["KIMG005:3"],
            ),
            (
                "COPY . .\nRUN make\n== Makefile\ninclude Makefile\nall:\n",
                &["KIMG005:3"],
            ),
            // what a command prints is not known, nor which of sixteen ways is taken
            (
                "COPY . .\nRUN make\n== Makefile\nA = $(shell detect)\nall:\n\tnvcc -arch=sm_$(A) a.cu\n",
                &["3 nvcc  < Makefile:3", "KIMG004:3"],
            ),
            (
                "COPY . .\nRUN make\n== Makefile\nA = -O3\n$(foreach a,1 2 3 4,$(eval ifeq ($$(shell x),$(a))\nA += -arch=sm_8$(a)\nendif))\ninclude a.mk b.mk c.mk d.mk\nall:\n\tnvcc $(A) a.cu\n== a.mk\nifeq ($(shell x),a)\nA += -gencode arch=compute_70,code=sm_70\nendif\n== b.mk\nifeq ($(shell x),b)\nA += -gencode arch=compute_75,code=sm_75\nendif\n== c.mk\nifeq ($(shell x),c)\nA += -gencode arch=compute_80,code=sm_80\nendif\n== d.mk\nifeq ($(shell x),d)\nA += -gencode arch=compute_90,code=sm_90\nendif\n",
                &["3 nvcc  < Makefile:7", "KIMG004:3"],
            ),
        ],
    );
}
