"""Each kind of runtime and of operation that Fluid's SDK has a method for, against the cluster of KUBECONFIG; prints a line for each."""

from fluid import ClientConfig, FluidClient, constants, models
from fluid.utils.processor import make_processor_from_func

DATASETS = {
    "alluxio": {"mount_name": "data", "mount_point": "https://mirrors.example.org/data"},
    "jindo": {
        "mount_name": "data",
        "mount_point": "s3://bucket/data",
        "options": {"fs.s3.endpoint": "s3.example.org"},
    },
    "juicefs": {
        "mount_name": "data",
        "mount_point": "juicefs:///",
        "options": {"bucket": "http://minio:9000/bucket", "storage": "minio"},
        "cred_secret_name": "store-keys",
        "cred_secret_options": {"metaurl": "metaurl"},
    },
    "efc": {"mount_name": "data", "mount_point": "nfs://x.cn-beijing.nas.aliyuncs.com:/data"},
    "vineyard": {},
}


def step():
    print("processed")


client = FluidClient(ClientConfig())
for kind, mount in DATASETS.items():
    client.create_dataset(kind, **mount)
    client.get_dataset(kind).bind_runtime(runtime_type=kind, replicas=1, cache_capacity_GiB=1, wait=False)
for kind in DATASETS:
    client.k8s_client.wait_dataset_bound(kind)
    phase = client.get_dataset(kind).report_status("binding_status")["phase"]
    print(f"{kind}: {phase}, {client.k8s_client.get_runtime(kind, kind).status.worker_phase}")

flow = (
    client.get_dataset("juicefs")
    .preload(["/a", "/b"])
    .migrate("/a", constants.DATA_MIGRATE_DIRECTION_TO, models.ExternalStorage(uri="minio://b.minio:9000/x"))
    .process("/data", make_processor_from_func(step))
    .run("run")
)
flow.wait()
for each in flow.get_current_status():
    for name, status in each.items():
        print(f"{name}: {status.phase}")
