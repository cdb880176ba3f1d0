/** Stand-ins for Google: its store, and the server that gives tokens for keys of service accounts. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { FAKE_GCS_IMAGE } from '../../harness/index.ts';
import { secret } from '../support/objects.ts';
import { type FileSystem, served } from '../node/file-systems.ts';

/** Keeps the last request for a token, and gives one. */
const TOKENS = `
import http.server
class Tokens(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("/tmp/asked", "wb") as file:
            file.write(body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}')
http.server.HTTPServer(("", 8000), Tokens).serve_forever()`;

const listening = (port: number) => ({ readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } });

/** Prints the request in the container `tokens`. */
export const ASKED = ['cat', '/tmp/asked'];

export interface GoogleStorage extends FileSystem {
  /** The client that asked for a token by this request, if it is signed with the key of the Secret. */
  signer(request: string): string | undefined;
}

export function googleStorage(profile: string): GoogleStorage {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = {
    type: 'service_account',
    project_id: 'tests',
    private_key_id: 'one',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'reader@tests.example',
    token_uri: `http://${profile}:8000/token`,
  };
  const seed = `mkdir -p /tmp/seed/my-bucket/folder; echo ${profile} > /tmp/seed/my-bucket/folder/file`;
  const host = `${profile}:4443`;
  const store = `exec fake-gcs-server -scheme=http -port=4443 -backend=memory -data=/tmp/seed -external-url=http://${host} -public-host=${host}`;
  const containers = [
    { name: 'main', image: FAKE_GCS_IMAGE, command: ['sh', '-ec', `${seed}; ${store}`], ...listening(4443) },
    { name: 'tokens', image: FAKE_GCS_IMAGE, command: ['python3', '-c', TOKENS], ...listening(8000) },
  ];
  return {
    server: served(profile, profile, [4443, 8000], containers),
    secrets: [secret(`${profile}-key`, { 'key.json': JSON.stringify(key) })],
    reading: ['wget', '-qO-', `http://${host}/storage/v1/b/my-bucket/o/folder%2Fnew?alt=media`],
    signer(request) {
      const [head = '', claims = '', signature = ''] = (new URLSearchParams(request).get('assertion') ?? '').split('.');
      const isOurs = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url');
      // The client's claims about itself.
      return isOurs ? (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss : undefined;
    },
  };
}
