# syntax=docker/dockerfile:1
# kimg-lint alone. `docker run --rm -v "$PWD:/work" IMAGE Dockerfile` lints; with `--gpus all`, `IMAGE probe` runs a kernel.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --bin kimg-lint

# The probe opens the driver that the container runtime mounts, and that needs glibc: no Alpine, no static program, no scratch.
FROM debian:bookworm-slim
COPY --from=build /source/target/release/kimg-lint /usr/local/bin/kimg-lint
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/kimg-lint/
# What NVIDIA's container runtime goes by when it is asked for GPUs.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute
USER 65532:65532
WORKDIR /work
# Stays what it is: whoever calls the image gives the arguments of kimg-lint.
ENTRYPOINT ["/usr/local/bin/kimg-lint"]
CMD ["--help"]
