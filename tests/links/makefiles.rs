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
            // a condition that is not known leaves the list unknown
            (
                "COPY . .\nRUN make\n== Makefile\nifeq ($(shell uname -m),x86_64)\nA = 80\nelse\nA = 90\nendif\nall:\n\tnvcc -arch=sm_$(A) a.cu\n",
                &["3 nvcc  < Makefile:7", "KIMG004:3"],
            ),
        ],
    );
}
