import { connect, type Socket } from 'node:net';

/** Joins a connection to a port of this machine: what either side sends reaches the other, and one that closes ends both. */
export function pipeTo(near: Socket, port: number): void {
  const far = connect(port, '127.0.0.1');
  near.pipe(far).pipe(near);
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const)
    socket.on('error', () => {}).on('close', () => other.destroy());
}
