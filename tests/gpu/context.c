// What creating a context costs a program that does nothing else: cuInit and a primary context.
#include <stdio.h>
#include <time.h>
int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int main(void) {
    int device;
    void *context;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context)) return 1;
    return 0;
}
