# odesim with the wheels of ROS 2:
#     docker build -t odesim . && docker run --rm --network host odesim run office --duration 10
# With --network host nodes of this machine find its topics; the viewer is at http://localhost:8080.
FROM debian:trixie-slim
COPY . /opt/odesim
RUN /opt/odesim/run.sh --mode fast --duration 0.001 --no-controllers
ENV PATH=/opt/odesim/.venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENTRYPOINT ["odesim"]
CMD ["run"]
