import type { Server, Socket } from 'node:net';

/** Which connections are closed first for others. */
export interface Connections {
  /** A request on this connection is being answered: of its address, those that wait are closed before it. */
  answering(socket: Socket): void;
  answered(socket: Socket): void;
}
/** Connections at once: in all, and from one address. */
export interface ConnectionLimits {
  readonly most: number;
  readonly mostOfPeer: number;
}

/**
 * Closes a connection when there are too many: one of the address that has the most, preferably the one that has waited longest, else the
 * one that was answered longest ago. An API server, a kubelet or a Prometheus opens few, so connections that others open keep none of these
 * out.
 */
export function boundConnections(server: Server, { most, mostOfPeer }: ConnectionLimits): Connections {
  const peers = new Map<string, Peer>();
  let total = 0;

  function put(socket: Socket, state: keyof Peer): void {
    const { peer, port } = keyOf(socket);
    const ofPeer = peers.get(peer) ?? { waiting: new Map(), answering: new Map() };
    drop(peer, port);
    ofPeer[state].set(port, socket);
    peers.set(peer, ofPeer);
  }
  function drop(peer: string, port: number): void {
    const ofPeer = peers.get(peer);
    if (!ofPeer) return;
    ofPeer.waiting.delete(port);
    ofPeer.answering.delete(port);
    if (sizeOf(ofPeer) === 0) peers.delete(peer);
  }
  /** Closes one of the address with the most connections; where several have as many, of the one that came first. */
  function closeOne(candidates: Iterable<Peer>): void {
    let heaviest: Peer | undefined;
    for (const peer of candidates) if (!heaviest || sizeOf(peer) > sizeOf(heaviest)) heaviest = peer;
    const longest = firstOf(heaviest?.waiting) ?? firstOf(heaviest?.answering);
    if (!longest) return;
    const { peer, port } = keyOf(longest);
    drop(peer, port);
    longest.destroy();
  }

  server.on('connection', (socket: Socket) => {
    const { peer, port } = keyOf(socket);
    total++;
    put(socket, 'waiting');
    socket.once('close', () => {
      total--;
      drop(peer, port);
    });
    const own = peers.get(peer);
    if (own && sizeOf(own) > mostOfPeer) closeOne([own]);
    else if (total > most) closeOne(peers.values());
  });
  server.on('secureConnection', (socket: Socket) => {
    const { peer, port } = keyOf(socket);
    if (peers.get(peer)?.waiting.has(port)) put(socket, 'waiting');
  });
  const move = (socket: Socket, state: keyof Peer): void => {
    if (!socket.destroyed) put(socket, state);
  };
  return { answering: (socket) => move(socket, 'answering'), answered: (socket) => move(socket, 'waiting') };
}

/** Connections of one address, by port; of each the longest first. The connection of a handshake and the TLS connection on it have one port. */
interface Peer {
  readonly waiting: Map<number, Socket>;
  /** Connections on which a request is being answered. */
  readonly answering: Map<number, Socket>;
}
const firstOf = (sockets: ReadonlyMap<number, Socket> | undefined): Socket | undefined => sockets?.values().next().value;
const sizeOf = ({ waiting, answering }: Peer): number => waiting.size + answering.size;

/** A socket that is closed has no address any more. */
const keys = new WeakMap<Socket, Key>();
interface Key {
  readonly peer: string;
  readonly port: number;
}
function keyOf(socket: Socket): Key {
  const known = keys.get(socket) ?? { peer: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
  keys.set(socket, known);
  return known;
}
