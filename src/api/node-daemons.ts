/** A DaemonSet that clients of a kind of runtime need on their node before they mount. A volume asks for it by an attribute. */
export interface NodeDaemon {
  /** Type of the runtime: `sluice install --daemon <type>` prints the DaemonSet. */
  readonly type: string;
  /** For messages, ends with a comma. */
  readonly title: string;
  /** Volume attribute: the directory on the node in which the daemon has its socket, within the mount root. */
  readonly attribute: string;
  /** The file in that directory that is there once the daemon has started. */
  readonly socket: string;
  /** Label that the DaemonSet selects. The node plugin sets it while such a volume is staged on the node; it stays. */
  readonly nodeLabel: string;
}

/** The node plugin loads no runtimes: what it must know of them is a table. */
export const NODE_DAEMONS = {
  efc: {
    type: 'efc',
    title: "EFC's session manager, DaemonSet efc-system/efc-sessmgr,",
    attribute: 'efc_sessmgr_workdir',
    socket: 'sessmgrd.sock',
    nodeLabel: 'fluid.io/efc-sessmgr',
  },
} as const satisfies Readonly<Record<string, NodeDaemon>>;
/** All of them. */
export const nodeDaemons: readonly NodeDaemon[] = Object.values(NODE_DAEMONS);
