/** Where the keys of a run are mounted. */
export const KEYS = '/etc/fluid/ssh';

/**
 * Lets this pod reach the others of its operation by SSH, and no others more easily. Arguments: hosts; waits until each of them answers.
 *
 * All pods of a run show the same key to each other, as users and as hosts. So a host is known before its pod exists, and its key is checked.
 */
const CLIENT = `set -e
umask 077
directory=/run/operation-ssh
mkdir -p "$directory"
# OpenSSH rejects a key file without a final newline.
{ cat ${KEYS}/ssh-privatekey; echo; } > "$directory/id"
cat ${KEYS}/ssh-publickey > "$directory/authorized_keys"
public=$(ssh-keygen -y -P '' -f "$directory/id") || { echo 'ssh-privatekey: expected a private key without a passphrase, in PEM or in the format of OpenSSH' >&2; exit 1; }
echo "operation $public" > "$directory/known_hosts"

# Not $HOME, which ssh ignores.
home=$(unset HOME; echo ~)
mkdir -p "$home/.ssh"
hosts="localhost $*"
rest=$(cat "$home/.ssh/config" 2> /dev/null || :)
cat > "$home/.ssh/config" << END
Host $hosts
  HostKeyAlias operation
  UserKnownHostsFile $directory/known_hosts
  StrictHostKeyChecking yes
  CheckHostIP no
  IdentityFile $directory/id
  IdentitiesOnly yes
  BatchMode yes
  Port $SSH_PORT
  ConnectTimeout 5
  ServerAliveInterval 10
  ServerAliveCountMax 3
  LogLevel ERROR
Match all
$rest
END

deadline=$((SECONDS + SSH_READY_TIMEOUT))
for host; do
  until said=$(timeout 10 ssh "$host" true 2>&1 < /dev/null); do
    [ "$SECONDS" -lt "$deadline" ] || { echo "pod $host did not answer by SSH within $SSH_READY_TIMEOUT s: \${said##*$'\\n'}" >&2; exit 1; }
    sleep 1
  done
done
`;

/** Runs sshd until the pod ends. */
const SERVER = `set -e
bash "\${0%/*}/ssh.sh"
# Without it sshd does not start, although it keeps nothing there.
mkdir -p /run/sshd
directory=/run/operation-ssh
exec /usr/sbin/sshd -D -e -f /dev/null -p "$SSH_PORT" -h "$directory/id" \\
  -o AuthorizedKeysFile="$directory/authorized_keys" -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no \\
  -o StrictModes=no -o Subsystem='sftp internal-sftp' -o PidFile=none
`;

/** Scripts of the pods of an operation that reach each other by SSH, by name. */
export const SSH_SCRIPTS = { 'ssh.sh': CLIENT, 'sshd.sh': SERVER } as const;
