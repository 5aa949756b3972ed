// A program that checks its launch as careless programs do: only after it has waited.
#include <cstdio>
__global__ void twice(float *x) { x[threadIdx.x] = 2.0f * threadIdx.x; }
int main() {
    float *device, host[32] = {0};
    if (cudaMalloc(&device, sizeof host) != cudaSuccess) return 9;
    twice<<<1, 32>>>(device);
    cudaError_t waited = cudaDeviceSynchronize();
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("after waiting: %d; x[5] = %g\n", (int)waited, host[5]);
    return 0;
}
