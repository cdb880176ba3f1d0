/** Answers of simulated engines to commands of Fluid's controllers that Sluice's do not run, in the formats of Alluxio 2.9.4. */
import type { ExecAnswers } from '../control-plane/exec-answers.ts';

const SUMMARY = `Alluxio cluster summary:
    Master Address: 127.0.0.1:20000
    Web Port: 20001
    Rpc Port: 20000
    Started: 01-01-2026 00:00:00:000
    Uptime: 0 day(s), 0 hour(s), 1 minute(s), and 0 second(s)
    Version: 2.9.4
    Safe Mode: false
    Zookeeper Enabled: false
    Live Workers: 1
    Lost Workers: 0
    Total Capacity: 4096.00MB
        Tier: MEM  Size: 4096.00MB
    Used Capacity: 1024.00MB
        Tier: MEM  Size: 1024.00MB
    Free Capacity: 3072.00MB
`;
const CAPACITY = `Capacity information for all workers:
    Total Capacity: 4096.00MB
        Tier: MEM  Size: 4096.00MB
    Used Capacity: 1024.00MB
        Tier: MEM  Size: 1024.00MB
    Used Percentage: 25%
    Free Percentage: 75%
`;
const METRICS = `Cluster.BytesReadLocal  (Type: COUNTER, Value: 19.37MB)
Cluster.BytesReadLocalThroughput  (Type: GAUGE, Value: 0B/MIN)
Cluster.BytesReadRemote  (Type: COUNTER, Value: 0B)
Cluster.BytesReadRemoteThroughput  (Type: GAUGE, Value: 0B/MIN)
Cluster.BytesReadUfsAll  (Type: COUNTER, Value: 30.75MB)
Cluster.BytesReadUfsThroughput  (Type: GAUGE, Value: 0B/MIN)
Master.FilesCompleted  (Type: COUNTER, Value: 1,152)
`;

export async function answerFluid(exec: ExecAnswers): Promise<void> {
  await exec.answer({ argv: ['alluxio', 'fsadmin', 'report', 'summary'], stdout: SUMMARY });
  await exec.answer({ argv: ['alluxio', 'fsadmin', 'report', 'capacity'], stdout: CAPACITY });
  await exec.answer({ argv: ['alluxio', 'getConf', 'alluxio.underfs.version'], stdout: '3.3.4\n' });
  await exec.answer({ argv: /alluxio fsadmin report metrics/, stdout: METRICS });
}
