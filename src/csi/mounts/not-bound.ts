import { outcome } from './bind-script.ts';
import type { BindMount } from './binding.ts';
import type { Ended } from './shells.ts';

/** A source cannot be bound. `later`: it may be once the mount table has changed, so waiting is worthwhile. */
export class NotBound extends Error {
  override readonly name = 'NotBound';
  /** `dead end`: nothing can be mounted on what is mounted at the target. */
  readonly why: 'later' | 'missing' | 'escaped' | 'dead end' | 'failed';

  constructor(why: NotBound['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** @throws NotBound when a script of bind-script.ts failed */
export function check({ code, output }: Ended, { mount, fusePath, source, target }: BindMount): void {
  switch (code) {
    case 0:
      return;
    case outcome.dead:
      throw new NotBound(
        'later',
        mount === undefined ? `${fusePath} does not exist` : `${fusePath} does not work: its FUSE client has ended, or does not serve root`,
      );
    case outcome.changed:
      throw new NotBound('later', `${fusePath} is being mounted again`);
    case outcome.missing:
      throw new NotBound('missing', `sub path ${source.slice(fusePath.length + 1)}: does not exist in ${fusePath}`);
    case outcome.escaped:
      throw new NotBound('escaped', `sub path ${source.slice(fusePath.length + 1)}: leads through a symbolic link, which is not allowed`);
    case outcome.linked:
      throw new NotBound('escaped', `${fusePath}: is, or leads through, a symbolic link, which is not allowed`);
    default:
      throw new NotBound(
        output.includes('No such file or directory') ? 'dead end' : 'failed',
        `mount ${source} on ${target}: ${output.trim() || `exit code ${code}`}`,
      );
  }
}
