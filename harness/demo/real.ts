import { availableParallelism } from 'node:os';
import { duration, secondsHere } from '../tools/jobs.ts';
import { canBeNode, demoNeeds, firstNeeds } from '../tools/needs.ts';

/** The parts still to come, and how long they take on this machine. */
export function realLines(): readonly string[] {
  const [first, all] = [firstNeeds().tools, demoNeeds(false).tools];
  const cores = availableParallelism();
  const more = all.length > first.length ? `, and after ${duration(secondsHere(all))} the second` : '';
  const builds = ` It builds ${all.length} programs from source: after about ${duration(secondsHere(first))} on ${cores} ${cores === 1 ? 'core' : 'cores'} it shows the first part${more}.`;
  return [
    '',
    `All pods were simulated. \`npm run demo -- --real\` shows the same on a real API server${canBeNode ? ', and then pods that read bytes on a real node' : ''}.${all.length > 0 ? builds : ''}`,
    'To try manifests of your own: `npm run -s sluice -- playground`',
  ];
}
