import type { Texts } from './en.ts';

/** The terms are those of kubernetes.io in Chinese; names of kinds, phases, reasons and fields stay English. */
export const zh: Texts = {
  language: 'zh',
  toDo: '处理建议：',
  toDoForOperation: '数据操作的处理建议：',
  since: (age) => `，已持续 ${age}：`,
  nothingHere: (namespace) =>
    namespace === undefined
      ? '所有名字空间中都没有 Dataset、Runtime 或数据操作。'
      : `名字空间 ${namespace} 中没有 Dataset、Runtime 或数据操作。用 -A 查看所有名字空间。`,
  states: {
    well: '与规约一致',
    troubled: '与规约一致，但有异常',
    differs: '与规约不一致',
    unseen: '控制器尚未处理',
    setUp: '已搭建',
    absent: '不存在',
  },

  shorterName: '将其删除，换一个较短的名称重新创建',
  retryInOrder: (names) =>
    `先排除原因，再依次重试${names.length > 0 ? ` ${names.join('、')} 和` : ''}本操作：逐个修改其注解 data.fluid.io/retry 的文本`,
  seeMessage: '请看消息',
  seeController: '检查控制器是否在运行：kubectl get pods -n fluid-system',
  askAgain: '检查它的 Runtime，或稍后再试',

  image: '修正规约中的镜像或拉取镜像的 Secret（`imagePullSecrets`），或让节点能访问镜像仓库。kubelet 会自动重试',
  nodes: '检查调度约束允许哪些节点、这些节点的污点，以及 Pod 请求的资源',
  terminating: '检查它所在的节点是否正常，以及它的 Finalizer',
  container: '创建或修正消息指出的内容：Secret、ConfigMap、卷或命令。kubelet 会自动重试',
  ended: (logs) => `查看它退出的原因：${logs}`,
  eventsAndLog: (describe) => `查看它的事件和日志：${describe}`,
  noPods: (describe) => `检查 kube-controller-manager 是否在运行：${describe}`,

  ownDataset: '检查与该 PVC 同名的 Dataset',
  otherStorage: '检查它的存储类和事件：它不属于任何 Dataset',
  createDataset: '创建同名的 Dataset 及其 Runtime；如果已经创建，检查它们在等什么',
  seeDataset: '检查同名的 Dataset',
  pluginNodes: '检查 DaemonSet sluice-csi 选择哪些节点、容忍哪些污点',
  seeBoth: '检查 Dataset 及其 Runtime',
  pluginLog: '查看该节点上节点插件的日志：挂载卷时由它设置标签',

  podOfSchedule: (job) =>
    `修正消息指出的内容，Pod 随后就会启动。如果要修改数据操作的规约，请修改后删除 Job ${job}：下一个 Job 会使用新的规约`,
  podOfOperation: '修正消息指出的内容，Pod 随后就会启动。如果要修改数据操作的规约，请将其删除后重新创建，因为 Job 不会随之更新',
  podReplaced: (logs) => `查看它的日志：${logs}。Job 会不断替换该 Pod，直到用完重试次数`,
  podRefused: '检查配额、准入 Webhook 和 Pod 的 ServiceAccount',
};
