import { duration, expectedSeconds } from '../tools/build.ts';
import { missingTools } from '../tools/tools.ts';

/** What is left to be seen, and how long it takes on this machine. */
export function realLines(): readonly string[] {
  const isNode = process.platform === 'linux' && process.getuid?.() === 0;
  const missing = missingTools(isNode ? 'node' : 'control plane');
  const first =
    missing.length > 0
      ? ` First it builds ${missing.length} programs from source: about ${duration(expectedSeconds(missing))} on two cores.`
      : '';
  return [
    '',
    `All pods were simulated. \`npm run demo -- --real\` shows the same on a real API server${isNode ? ', and then pods that read bytes on a real node' : ''}.${first}`,
    'To try manifests of your own: `npm run -s sluice -- playground`',
  ];
}
