/** The cost of reading alone: the streams that the controller reads, split into lines and parsed, and forgotten. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';

const [url = '', ca = ''] = process.argv.slice(2);
const agent = new Agent({ ca: readFileSync(ca), keepAlive: true });
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

function read(path: string, accept: string): void {
  get(`${url}${path}?watch=true&timeoutSeconds=3600`, { agent, headers: { accept } }, (response) => {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) JSON.parse(line);
    });
  });
}
read('/api/v1/pods', 'application/json');
read('/api/v1/nodes', PARTIAL);
process.on('disconnect', () => process.exit());
process.send?.('reading');
