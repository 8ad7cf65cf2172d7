import { configuredUsers, keyVariable, userNames } from './users.ts'

/** Values for the official chart of NATS, with the same users as the configuration file. The chart writes `<< x >>` without quotes. */
export function chartValues(namespace = ''): string {
  const users = configuredUsers((name) => `<< $${keyVariable(name)} >>`, namespace).map(
    ({ key, permissions }) =>
      `        - nkey: ${key}
          permissions:
            publish: { allow: ${JSON.stringify(permissions!.publish)} }
            subscribe: { allow: ${JSON.stringify(permissions!.subscribe)} }
`,
  )
  const keys = userNames.map(
    (name) =>
      `    ${keyVariable(name)}: { valueFrom: { configMapKeyRef: { name: nats-nkeys, key: ${keyVariable(name)} } } }\n`,
  )
  return `# Made by "node deploy/nats/src/print-chart-values.ts${namespace && ` ${namespace}`}"; the users come from users.ts beside that file.
# Values for https://nats-io.github.io/k8s/helm/charts (nats 1.1 or newer): three servers, each message on all of them.
# The ConfigMap nats-nkeys has the public key of each user; see README.md.
config:
  cluster: { enabled: true, replicas: 3 }
  jetstream:
    enabled: true
    fileStore: { enabled: true, pvc: { enabled: true, size: 20Gi } }
    memoryStore: { enabled: false }
    # A confirmed message is on the disk. Otherwise a power failure of all servers loses up to two minutes of messages.
    merge: { sync_interval: always }
  merge:
    authorization:
      timeout: 10
      users:
${users.join('')}container:
  env:
${keys.join('')}  merge:
    resources:
      requests: { cpu: 250m, memory: 512Mi }
      limits: { cpu: "2", memory: 2Gi }
    # The restricted profile of the pod security standards, as for the services.
    securityContext: &restricted
      allowPrivilegeEscalation: false
      runAsNonRoot: true
      runAsUser: 1000
      capabilities: { drop: [ALL] }
      seccompProfile: { type: RuntimeDefault }
reloader:
  merge:
    resources:
      requests: { cpu: 10m, memory: 32Mi }
      limits: { cpu: 100m, memory: 64Mi }
    securityContext: *restricted
podTemplate:
  merge: { spec: { securityContext: { fsGroup: 1000 } } }
  topologySpreadConstraints:
    kubernetes.io/hostname: { maxSkew: 1, whenUnsatisfiable: DoNotSchedule }
natsBox: { enabled: false }
`
}
