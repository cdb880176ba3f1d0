/**
 * The stream from kwok to the API server during an exec, corrected.
 *
 * kwok 0.7.0 reports a command that failed as an internal error (it wraps the error that carries the exit code), so a client cannot see
 * "exit code 3" from "the node is broken". The status is one SPDY data frame of the error stream; it is replaced by what a kubelet sends.
 * Data frames are plain; only control frames are compressed, and those pass untouched.
 */
import { Transform } from 'node:stream';

const FRAME_HEAD = 8;

/** Replaces a failed command's status, and holds back output and status until `delayMs` have passed. */
export function spdyReplay(exitCode: number, delayMs: number): Transform {
  let buffered: Buffer = Buffer.alloc(0);
  let upgraded = false;
  let waited = delayMs === 0;
  let timer: NodeJS.Timeout | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      const drain = (): void => {
        if (!upgraded) {
          const end = buffered.indexOf('\r\n\r\n');
          if (end < 0) return done();
          this.push(take(end + 4));
          upgraded = true;
        }
        while (buffered.length >= FRAME_HEAD) {
          const size = FRAME_HEAD + buffered.readUIntBE(5, 3);
          if (buffered.length < size) break;
          if (!waited && isData(buffered)) {
            waited = true;
            timer = setTimeout(drain, delayMs);
            return;
          }
          this.push(corrected(take(size), exitCode));
        }
        done();
      };
      drain();
    },
    destroy(error, done) {
      clearTimeout(timer);
      done(error);
    },
  });

  function take(size: number): Buffer {
    const taken = buffered.subarray(0, size);
    buffered = buffered.subarray(size);
    return taken;
  }
}

function isData(frame: Buffer): boolean {
  return ((frame[0] ?? 0) & 0x80) === 0;
}

function corrected(frame: Buffer, exitCode: number): Buffer {
  if (exitCode === 0 || !isData(frame) || frame[FRAME_HEAD] !== 0x7b /* { */) return frame;
  const text = frame.toString('utf8', FRAME_HEAD);
  if (!text.includes('"reason":"InternalError"') || !text.includes(`exit status ${exitCode}`)) return frame;
  const payload = Buffer.from(JSON.stringify(nonZeroExit(exitCode)));
  const head = Buffer.from(frame.subarray(0, FRAME_HEAD));
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** The status a kubelet sends for a command that ended with `exitCode`. */
export function nonZeroExit(exitCode: number) {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
