type Variables = Readonly<Record<string, string>>;

/**
 * How the controller handles memory (docs/adr/0022-memory-of-the-controller.md): V8 keeps garbage while it has memory left, and
 * glibc keeps the memory of large answers. The share is of the container's limit.
 */
export const CONTROLLER_MEMORY = {
  NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size-percentage=50',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const satisfies Variables;

/** The same for the node plugin, which runs on every node: little garbage at a time, and one thread that collects it. */
export const NODE_PLUGIN_MEMORY = {
  NODE_OPTIONS: '--v8-pool-size=1 --max-semi-space-size=1',
  MALLOC_ARENA_MAX: '2',
} as const satisfies Variables;

/** The same for the webhook: requests are short, and what a burst of them takes must not stay in memory. */
export const WEBHOOK_MEMORY = {
  NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size-percentage=60',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const satisfies Variables;

/** The same for a webhook that validates: what a judgement renders is garbage at once, and must not become old. */
export const VALIDATION_MEMORY = {
  ...WEBHOOK_MEMORY,
  NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size-percentage=60',
} as const satisfies Variables;

/** The same for the page: lists are many times as large as what is kept of them. */
export const UI_MEMORY = {
  ...WEBHOOK_MEMORY,
  NODE_OPTIONS: '--max-semi-space-size=2 --max-old-space-size-percentage=60',
} as const satisfies Variables;

/** As a container's `env`. */
export const inEnv = (variables: Variables) => Object.entries(variables).map(([name, value]) => ({ name, value }));
