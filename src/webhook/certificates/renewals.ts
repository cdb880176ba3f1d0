import { backoff, type Clock } from '../../kube/clock.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import { issue } from './issue.ts';
import type { Renewal } from './material.ts';
import type { CertificateSecret } from './secret.ts';

/** In a row without a wait: a Secret that is deleted is written again at once. */
const AT_ONCE = 3;
const FIRST_MS = 10_000;
const MOST_MS = 3600_000;
/** After which a renewal is the first of a row. */
const QUIET_MS = 2 * MOST_MS;

export interface RenewalOptions {
  readonly secret: Pick<CertificateSecret, 'write'>;
  /** `<namespace>/<name>` of the Secret, for log lines. */
  readonly where: string;
  readonly hosts: readonly [string, ...string[]];
  readonly log: Log;
  readonly clock: Clock;
}
/**
 * Writes a new certificate over the Secret from which the renewal was decided. Returns how long to wait, ms, if it wrote one too often.
 *
 * @param needed authorities of the certificate that is served
 */
export type Renew = (
  renewal: Renewal,
  basis: KubeObject | undefined,
  needed: readonly string[],
  now: number,
) => Promise<number | undefined>;

export function createRenewals({ secret, where, hosts, log, clock }: RenewalOptions): Renew {
  const pace = createPace(clock);
  return async ({ because, keeps: { signer, older } }, basis, needed, now) => {
    const left = pace.left();
    if (left > 0) {
      const fields = { because, retryMs: Math.round(left) };
      log.warn(fields, 'the certificate was made again and again: do the clocks of the nodes of the replicas differ?');
      return left;
    }
    const others = new Set([...needed, ...older]);
    if (signer) others.delete(signer.certificate);
    const material = await issue({ ...(signer && { signer }), older: [...others] }, hosts, now);
    if (await secret.write(material, basis)) {
      pace.renewed();
      log.info({ secret: where, because, authority: signer ? 'kept' : 'new' }, 'made a certificate');
    }
    return undefined;
  };
}

/** How often one replica writes certificates. */
interface Pace {
  /** Until it may write again, ms. */
  left(): number;
  /** Called after a write. */
  renewed(): void;
}

/** Two replicas whose clocks differ by months would each replace what the other one wrote, for ever. */
function createPace(clock: Clock): Pace {
  let [inRow, last, next] = [0, -Infinity, -Infinity];
  return {
    left: () => Math.max(0, next - clock.monotonic()),
    renewed() {
      const now = clock.monotonic();
      inRow = now - last > QUIET_MS ? 1 : inRow + 1;
      last = now;
      next = inRow < AT_ONCE ? now : now + backoff(inRow - AT_ONCE + 1, clock.random, { firstMs: FIRST_MS, mostMs: MOST_MS });
    },
  };
}
