/** Operations as commands read them: pure functions of what a user wrote and of what the cluster shows. */
export { jobView, scheduleView } from './operations/job-view.ts';
export { affinityLike, HOSTNAME } from './operations/affinity.ts';
export { followedBy, predecessorOf } from './operations/predecessor.ts';
export { datasetsOf, nearOf, operationKeyOf, runAfterOf, workerOf } from './operations/references.ts';
export { isDone, isOver, isRetried, isRunning, pauseOf, retryOf } from './operations/state.ts';
export { operationFaults } from './operations/validate.ts';
export type { OperationObject, Predecessor } from './operations/world.ts';
