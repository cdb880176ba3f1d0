import { type Row, secretFile } from './mounts.ts';

/** A file of the master's own: its arguments, which any process of the node may list, hold no secret. */
const SCRIPT = `set -eu
umask 077
directory=$(mktemp -d)
cat "\${ALLUXIO_HOME:-/opt/alluxio}/conf/alluxio-site.properties" > "$directory/alluxio-site.properties" 2>/dev/null || :
while [ "$1" = --secret ]; do
  value=$(cat "$3")
  printf '\\n%s=%s\\n' "$2" "\${value//\\\\/\\\\\\\\}" >> "$directory/alluxio-site.properties"
  shift 3
done
export ALLUXIO_MASTER_JAVA_OPTS="\${ALLUXIO_MASTER_JAVA_OPTS:-} -Dalluxio.site.conf.dir=$directory"
exec /entrypoint.sh "$@"`;

const OPTION = 'alluxio.master.mount.table.root.option';

/** How a master is started that must know secrets of the source at `/` before its first mount. */
export const masterCommand = ({ secrets }: Row): readonly string[] =>
  secrets.length === 0
    ? ['/entrypoint.sh']
    : ['bash', '-c', SCRIPT, 'master', ...secrets.flatMap((secret) => ['--secret', `${OPTION}.${secret.option}`, secretFile(secret)])];
