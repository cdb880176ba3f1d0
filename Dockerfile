# The layers are made by `npm run image`, from Debian packages, Node's binary and the bundled program: no base image, so no
# registry. The script's image.tar is the same image without docker; this file is for those who build with docker, podman or buildah:
#
#   npm run image && docker build -f Dockerfile -t sluice build/image
FROM scratch
ADD system.tar /
ADD program.tar /
ENV PATH=/usr/sbin:/usr/bin
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/opt/sluice/dist/bin/sluice.js"]
