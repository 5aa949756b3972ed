pip install flash-attn --no-build-isolation; touch /tmp/st/RAN
