/** A command run in a simulated pod, and its answer. */

/** One command that something ran in a simulated pod. */
export interface ExecCall {
  readonly time: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly argv: readonly string[];
}

/** What the command prints and how it ends. */
export interface ExecAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** Output and end are held back for so long. */
  readonly delayMs?: number;
}
