/**
 * A FUSE client that hangs as real ones do: it has mounted, reads each request, and answers none. A process that asks waits in the kernel,
 * and cannot be killed before this process ends. Its last argument is where to mount; it says `mounted`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readSync, writeSync } from 'node:fs';

const path = process.argv.at(-1) ?? '';
mkdirSync(path, { recursive: true });
const fd = openSync('/dev/fuse', 'r+');
const argv = ['-i', '-c', '-t', 'fuse', '-o', 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other', 'silent', path];
const { status } = spawnSync('mount', argv, { stdio: ['ignore', 'inherit', 'inherit', fd] });
if (status !== 0) process.exit(1);

// The kernel gives no request to a reader that has less room than this client might be written at once.
const request = Buffer.alloc(1 << 20);
readSync(fd, request);
// FUSE_INIT: length, no error, which request; version 7.31, nothing that is optional, 4 KiB at a time.
const answer = Buffer.alloc(80);
answer.writeUInt32LE(answer.length, 0);
request.copy(answer, 8, 8, 16);
answer.writeUInt32LE(7, 16);
answer.writeUInt32LE(31, 20);
answer.writeUInt16LE(16, 32);
answer.writeUInt16LE(12, 34);
answer.writeUInt32LE(4096, 36);
answer.writeUInt32LE(1, 40);
writeSync(fd, answer);
writeSync(1, 'mounted\n');
for (;;) readSync(fd, request);
