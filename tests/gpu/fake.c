// A libcuda without a GPU, for the tests of `kimg-lint probe`: it answers as a driver would, and fails as the environment says.
//   FAKE_INIT=N       cuInit answers N           FAKE_COUNT=N    N GPUs
//   FAKE_LOAD=N       loading answers N          FAKE_LAUNCH=N   the launch answers N, and writes nothing
//   FAKE_CONTEXT=N    no context, but N          FAKE_WRONG=1    the kernels write a wrong value
//   FAKE_HANG=STEP    STEP never returns         FAKE_CRASH=STEP STEP ends the process
//   FAKE_LIE=1        every container has an image
// Steps: init, context, load, load-part (a part of a file, not one of our kernels), launch. With -DOLD it lacks what a driver of
// its age would lack.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

static void step(const char *name) {
    const char *hang = getenv("FAKE_HANG"), *crash = getenv("FAKE_CRASH");
    if (hang && !strcmp(hang, name)) for (;;) sleep(1);
    if (crash && !strcmp(crash, name)) {
        fprintf(stderr, "the fake driver ends the process\n");
        abort();
    }
}

int cuInit(unsigned flags) { step("init"); return flags ? 1 : number("FAKE_INIT"); }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = getenv("FAKE_COUNT") ? number("FAKE_COUNT") : 1; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return 0; }
int cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "Fake GPU %d", device); return 0; }
int cuDeviceGetUuid(unsigned char *uuid, int device) { memset(uuid, device, 16); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == 75 ? 8 : attribute == 76 ? 9 : device == 0 ? 0 : 3;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    step("context");
    *context = &cuDeviceGet;
    return device == 1 ? 46 : number("FAKE_CONTEXT");
}
int cuCtxSetCurrent(void *context) { return context ? 0 : 1; }
int cuCtxSynchronize(void) { return 0; }

#ifndef OLD
// Whether a container holds machine code or PTX that a GPU of 8.9 runs.
static int fits(const unsigned char *at) {
    uint64_t size;
    memcpy(&size, at + 8, 8);
    const unsigned char *end = at + 16 + size;
    for (at += 16; at < end;) {
        uint16_t kind;
        uint32_t header, arch;
        uint64_t payload;
        memcpy(&kind, at, 2), memcpy(&header, at + 4, 4), memcpy(&payload, at + 8, 8), memcpy(&arch, at + 0x1c, 4);
        if ((kind == 2 && arch / 10 == 8 && arch != 87) || (kind == 1 && arch <= 89)) return 1;
        at += header + payload;
    }
    return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *names, void **values) {
    step("load");
    if (getenv("FAKE_LOAD")) {
        if (options == 2 && names[0] == 5) snprintf(values[0], (size_t)values[1], "the fake driver's log\nand more");
        return number("FAKE_LOAD");
    }
    *module = malloc(1);
    if (memcmp(image, "\x50\xed\x55\xba", 4)) return memcmp(image, "//", 2) && memcmp(image, "\x7f" "ELF", 4) ? 200 : 0;
    uint64_t size;
    memcpy(&size, (const char *)image + 8, 8);
    if (size < 10000) step("load-part");
    return number("FAKE_LIE") || fits(image) ? 0 : 209;
}
int cuModuleUnload(void *module) { free(module); return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    *function = !strcmp(name, "kimg_fill") ? (void *)1 : (void *)2;
    return module ? 0 : 1;
}
int cuMemAlloc_v2(uint64_t *at, size_t size) { *at = (uintptr_t)malloc(size); return 0; }
int cuMemFree_v2(uint64_t at) { free((void *)(uintptr_t)at); return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) { memcpy((void *)(uintptr_t)to, from, size); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) { memcpy(to, (void *)(uintptr_t)from, size); return 0; }

static void fill(void **arguments) {
    uint32_t *out = (uint32_t *)(uintptr_t)*(uint64_t *)arguments[0], n = *(uint32_t *)arguments[1], seed = *(uint32_t *)arguments[2];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = (i * 0x9E3779B1u) ^ seed;
        x ^= x >> 15;
        x = x * 0x85EBCA77u + i;
        out[i] = x ^ (x >> 13);
    }
    if (number("FAKE_WRONG") == 1) out[n - 1] ^= 1;
}
static void product(void **arguments) {
    float *c = (float *)(uintptr_t)*(uint64_t *)arguments[0];
    const float *a = (float *)(uintptr_t)*(uint64_t *)arguments[1], *b = (float *)(uintptr_t)*(uint64_t *)arguments[2];
    uint32_t n = *(uint32_t *)arguments[3];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            float sum = 0;
            for (uint32_t k = 0; k < n; k++) sum = fmaf(a[i * n + k], b[k * n + j], sum);
            c[i * n + j] = sum;
        }
    if (number("FAKE_WRONG") == 2) c[n] = 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **arguments, void **extra) {
    step("launch");
    if (!gx || gy != 1 || gz != 1 || !bx || by != 1 || bz != 1 || shared || stream || extra) return 1;
    if (number("FAKE_LAUNCH")) return number("FAKE_LAUNCH");
    (function == (void *)1 ? fill : product)(arguments);
    return 0;
}
#endif
