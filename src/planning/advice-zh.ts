/** The advice of reasons.ts and condition-advice.ts in Chinese, in the terms of kubernetes.io. A reason or a condition without it does not compile. */
import type { conditionAdvice } from './condition-advice.ts';
import type { causes } from './reasons.ts';

type InChinese<Cause> = Cause extends { readonly toDoForOperation: string }
  ? { readonly toDo: string; readonly toDoForOperation: string }
  : { readonly toDo: string };

const PODS = {
  toDo: '`sluice explain` 会说明原因。也可以对这些 Pod 执行 `kubectl describe`；如果还没有 Pod，就对 StatefulSet 执行。重点看镜像、资源、调度约束允许的节点、配额和 Pod 安全性标准',
};
const REFUSED_BY_SERVER = {
  toDo: '如果返回 `422 Invalid`，请在 Dataset、Runtime 或数据操作的规约中修改消息指出的值；否则检查配额、准入 Webhook 和权限。控制器会退避重试，间隔最长 90 秒；修改这三者中的任意一个（例如加一个标签）会立即重试',
};

export const causesZh: { readonly [Reason in keyof typeof causes]: InChinese<(typeof causes)[Reason]> } = {
  InvalidSpec: {
    toDo: '修改消息指出的字段、Secret 或 PVC；控制器会在 30 秒内重新读取 Secret 和 PVC。已经绑定的 Dataset 保持原样',
  },
  DatasetNotFound: { toDo: '创建 Dataset' },
  RuntimeNotFound: { toDo: '在同一名字空间中创建同名的 Runtime' },
  RuntimeDeleting: { toDo: '无需处理，除非一直持续' },
  DatasetTaken: { toDo: '删除两个 Runtime 中的一个' },
  SecretNotFound: { toDo: '创建 Secret，或补上缺少的键；控制器会在 0.5 秒到 30 秒后重试' },
  ConfigMapNotFound: { toDo: '创建 ConfigMap；控制器会在 0.5 秒到 30 秒后重试' },
  ThinRuntimeProfileNotFound: { toDo: '创建 ThinRuntimeProfile' },
  CacheRuntimeClassNotFound: { toDo: '创建 CacheRuntimeClass，或修改 `spec.runtimeClassName`' },
  ClaimNotBound: { toDo: '检查该 PVC' },
  DatasetNotBound: { toDo: '检查被引用的 Dataset' },
  ReferenceNotAllowed: {
    toDo: '请对方 Dataset 的所有者把本名字空间加入其注解 `data.fluid.io/shared-with`。如果该 Dataset 又引用了第三个 Dataset，请直接引用第三个',
    toDoForOperation: '请对方数据操作的所有者把本名字空间加入其注解 `data.fluid.io/followers`',
  },
  LookupFailed: { toDo: '如果消息说明缺少权限，请授予该权限。控制器会退避重试' },
  InternalError: { toDo: '请附上日志报告此问题。控制器会退避重试' },
  PortsExhausted: { toDo: '扩大 `--runtime-node-port-range`，或改用容器网络' },
  MasterNotReady: PODS,
  WorkersNotReady: PODS,
  NoLeader: { toDo: '无需处理；如果一直持续，请查看各个 master 的日志' },
  MountsUnknown: { toDo: '查看 master 的 Pod，以及消息的内容' },
  MountsChanging: { toDo: '无需处理，除非消息中有引擎返回的错误' },
  MountsDiffer: { toDo: '查看同名的状况' },
  PlacementWaiting: { toDo: '查看同名的状况' },
  VolumePending: { toDo: '无需处理。如果一直持续，请检查 PV、kube-controller-manager 是否在运行，以及挂载该 PVC 的 Pod' },
  VolumeReleased: { toDo: '无需处理。如果一直持续，请检查 PV' },
  NameTaken: {
    toDo: '消息指出了该对象。如果不需要它，请将其删除；否则请删除 Dataset 及其 Runtime（或数据操作），换一个名称重新创建',
  },
  FieldConflict: {
    toDo: '在该对象的 `managedFields` 中找出是哪个控制器。控制器每次重试前会等待 30 秒到 10 分钟。准入 Webhook 所做的修改会被接受，不算冲突',
  },
  Conflict: { toDo: '无需处理；控制器会立即重试' },
  ApplyFailed: REFUSED_BY_SERVER,
  UpdateFailed: REFUSED_BY_SERVER,
  DeleteFailed: REFUSED_BY_SERVER,
  ClaimKept: { toDo: '删除消息指出的数据操作或 Pod' },
  StillMounted: { toDo: '删除这些 Pod' },
  StillReferenced: { toDo: '先删除这些 Dataset' },
  CleaningCache: { toDo: '无需处理：失败达到 `maxRetryAttempts` 次后，删除会继续进行' },
  NodeNotLabelled: { toDo: '授予修补（patch）节点的权限，或查明是谁移除了标签、哪条准入策略拒绝了标签。控制器会退避重试' },
  NodesLabelled: { toDo: '授予修补（patch）节点的权限，或检查拒绝该请求的准入策略。控制器会退避重试' },
  TargetDatasetNotFound: { toDo: '在数据操作所在的名字空间中创建该 Dataset' },
  RuntimeNotReady: { toDo: '无需处理；如果一直持续，请检查 Dataset 及其 Runtime' },
  WaitingForTurn: { toDo: '无需处理：轮到它时就会开始' },
  NoPods: { toDo: '修改消息指出的内容，Kubernetes 会自动重试。请注意，凡是能在该名字空间写入事件的人，都可能写下那段文字' },
  DataOperationWaiting: { toDo: '无需处理：前一个数据操作完成后就会开始。如果一直持续，请检查前一个' },
  DataOperationNotFound: { toDo: '创建该数据操作，或修改 `spec.runAfter`' },
  RunAfterCycle: { toDo: '修改其中一个数据操作的 `spec.runAfter`' },
  Paused: { toDo: '移除该注解：轮到它时，数据操作就会开始，或者它的 Job 会继续执行' },
  Retried: { toDo: '无需处理：轮到它时就会开始' },
  MountsChanged: { toDo: '无需处理；如果一直持续，请查明是什么在修改 Dataset 的挂载点' },
  Deleting: { toDo: '如果一直持续，请查明这些 Finalizer 由谁设置；对象删除后，控制器会重新创建所需的对象' },
};

/** Advice about objects of vendors' runtimes, whose reasons are not listed. */
export const CREATE_IT_ZH = '创建消息指出的对象';

export const REFUSED_ZH = '修改消息指出的内容：配额、LimitRange、Pod 安全性标准或准入 Webhook。Kubernetes 会自动重试';

export const conditionAdviceZh: Readonly<Record<keyof typeof conditionAdvice, string>> = {
  SpecWarning: '有空时修改消息指出的内容',
  PodsOutdated: '有空时删除这些 Pod',
  PodsCrashing: '查看消息指出的 Pod 的日志，修改客户端不接受的内容',
  DataUnavailable: '确认消息指出的服务在运行、从 FUSE Pod 可以访问，并且凭据有效',
  PodsRefused: REFUSED_ZH,
  PodsPending: '修正消息指出的内容：镜像、拉取镜像的 Secret、Pod 请求的资源、调度约束允许的节点',
  PlacementWaiting: '无需处理：节点上不再有 Pod 挂载该 Dataset 后，FUSE Pod 就会离开',
  ImmutableFieldChanged: '等消息指出的对象不再被使用时将其删除，控制器会重新创建',
  MountsDiffer: '比较该挂载点与引擎列出的内容，然后修改它',
  Failed: '先排除原因，再修改注解 data.fluid.io/retry 的文本，重试该数据操作',
};
