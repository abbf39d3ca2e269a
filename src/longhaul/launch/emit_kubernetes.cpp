// Kubernetes: one JobSet with one pod a host, pinned to its node by name; ranks come from a map in
// a ConfigMap and not from pod indices, so any map can be expressed.
#include <array>

#include <fmt/format.h>

#include "longhaul/core/value.hpp"
#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/names.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::size_t kConfigMapLimit = 1'000'000;  // the API server refuses 1 MiB and more

constexpr std::string_view kJobSet = R"yaml(# The rank map and the scripts that every pod runs.
apiVersion: v1
kind: ConfigMap
metadata:
  name: "@NAME@-map"
data:
@DATA@---
# One pod a host. Needs the JobSet controller (jobset.x-k8s.io), which also makes the headless
# service that gives pods their names.
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: "@NAME@"
spec:
  failurePolicy:
    maxRestarts: 0
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
    subdomain: "@NAME@"
  replicatedJobs:
@JOBS@)yaml";

constexpr std::string_view kReplicatedJob = R"yaml(  - name: "h@INDEX@"
    replicas: 1
    template:
      spec:
        backoffLimit: 0
        completions: 1
        parallelism: 1
        completionMode: Indexed
        template:
          spec:
            restartPolicy: Never
@NETWORK@            nodeSelector:
              kubernetes.io/hostname: @NODE@
            containers:
            - name: train
              image: @IMAGE@
              command: ["/bin/sh", "-c", "exec /bin/sh /longhaul/start_host.sh \"$NODE_NAME\""]
              env:
              - name: NODE_NAME
                valueFrom:
                  fieldRef:
                    fieldPath: spec.nodeName
              - name: LONGHAUL_STATE_DIR
                value: /tmp
              ports:
              - containerPort: @PORT@
              resources:
                limits:
                  nvidia.com/gpu: @GPUS@
              volumeMounts:
              - name: longhaul
                mountPath: /longhaul
              - name: shm
                mountPath: /dev/shm
            volumes:
            - name: longhaul
              configMap:
                name: "@NAME@-map"
                defaultMode: 365
            - name: shm
              emptyDir:
                medium: Memory
)yaml";

constexpr std::string_view kHostNetwork =
    "            hostNetwork: true\n"
    "            dnsPolicy: ClusterFirstWithHostNet\n";

/// A named interface is one of the node, which a pod sees only on the network of its host.
bool uses_host_network(const Job& job) {
    for (const Host& host : job.hosts.hosts) {
        if (!host.interface.empty()) {
            return true;
        }
    }
    return false;
}

/// A file as a block scalar of YAML, every line indented by four.
std::string block_scalar(const OutputFile& file) {
    std::string text = fmt::format("  {}: |\n", file.path);
    std::string_view rest = file.text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        text += line.empty() ? "\n" : fmt::format("    {}\n", line);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return text;
}

std::string replicated_job(const Job& job, std::size_t index) {
    const Host& host = job.hosts.hosts[index];
    const std::array<Fill, 7> values{
        {{"INDEX", fmt::format("{}", index)},
         {"NETWORK", std::string(uses_host_network(job) ? kHostNetwork : std::string_view())},
         {"NODE", core::json_quoted(host.name)},
         {"IMAGE", core::json_quoted(job.options.image)},
         {"PORT", fmt::format("{}", job.master_port)},
         {"GPUS", fmt::format("{}", host.gpus.size())},
         {"NAME", job.options.name}}};
    return filled(kReplicatedJob, values);
}

/// Pods of a JobSet are called <set>-<job>-<job index>-<pod index>.<subdomain>.
Identity pod_identity(const Job& job) {
    Identity identity;
    identity.host = "${NODE_NAME-}";
    if (!uses_host_network(job)) {
        identity.master_address = fmt::format(
            "{}-h{}-0-0.{}", job.options.name, job.processes.front().host, job.options.name);
    }
    return identity;
}

}  // namespace

std::string refuse_kubernetes(const Job& job) {
    for (const Host& host : job.hosts.hosts) {
        if (std::string_view(host.name).find_first_of("_ABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
            std::string_view::npos) {
            return fmt::format("names of Kubernetes nodes are in lower case, but a host is {}",
                               host.name);
        }
        if (host.name.size() > 63) {
            return "names of Kubernetes nodes used as labels have at most 63 bytes, but a host "
                   "is " +
                   host.name;
        }
    }
    return refuse_chosen_gpus(job, "Kubernetes");
}

core::Result<Launch> emit_kubernetes(const Job& job) {
    if (job.options.image.empty()) {
        return core::fail({"", "image", "no container image is given", "add --image IMAGE"});
    }
    std::string data;
    for (const OutputFile& file : {rank_map_file(job),
                                   verifier_file(),
                                   rank_exec_file(job, pod_identity(job)),
                                   start_host_file(env_children(job), false)}) {
        data += block_scalar(file);
    }
    if (data.size() > kConfigMapLimit) {
        return core::fail({"",
                           "rank_map",
                           fmt::format("the scripts take {} bytes", data.size()),
                           "a ConfigMap holds 1 MB; use --to env, slurm or mpi"});
    }
    std::string jobs;
    for (std::size_t host = 0; host < job.hosts.hosts.size(); ++host) {
        jobs += replicated_job(job, host);
    }
    const std::array<Fill, 3> values{
        {{"NAME", job.options.name}, {"DATA", std::move(data)}, {"JOBS", std::move(jobs)}}};
    Launch launch{{{"jobset.yaml", filled(kJobSet, values)}}, "kubectl apply -f jobset.yaml", {}};
    launch.notes.emplace_back(
        "The name of a host is the value of its node label kubernetes.io/hostname and its node "
        "name. Needs the JobSet controller.");
    if (uses_host_network(job)) {
        launch.notes.emplace_back(
            "The hosts file names network interfaces, so pods use the network of their host.");
    }
    return launch;
}

}  // namespace longhaul::launch::detail
