/** A command run in a simulated pod, and its answer. */

/** One command that something ran in a simulated pod. */
export interface ExecCall {
  readonly time: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly argv: readonly string[];
}

/** The output of a command, and its end. */
export interface ExecAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** Delay of output and end. */
  readonly delayMs?: number;
}
