# The layers are made by `node scripts/image.ts`, from Debian packages, Node's binary and the bundled program: no base image, so no
# registry. The script's image.tar is the same image without docker; this file is for those who build with docker, podman or buildah:
#
#   node scripts/image.ts && docker build -f Dockerfile -t sluice build/image
FROM scratch
ADD system.tar /
ADD program.tar /
ENV PATH=/usr/sbin:/usr/bin
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/opt/sluice/dist/bin/sluice.js"]
