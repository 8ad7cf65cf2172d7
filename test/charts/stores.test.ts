import { describe, expect, test } from '@jest/globals'
import { load } from 'js-yaml'
import { chartValues } from '@lettergate/nats/chart-values'
import { configuredUsers, keyVariable, userNames } from '@lettergate/nats/users'
import { read } from '@lettergate/guard/tree'
import { checkTypes } from './check-types.ts'
import type { ICluster } from './custom-resources.ts'
import { databaseFiles } from './database-files.ts'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { withHelm, lint, manifestsOf, template, type RenderedManifest } from './helm.ts'
import { deploymentsOf, topology, workloadsOf } from './workloads.ts'

const chart = 'lettergate-database'

test('the statements and roles of the database chart are those of the code', async () => {
  for (const [name, text] of Object.entries(await databaseFiles()))
    expect({ name, text: read(`charts/${chart}/files/${name}`) }).toEqual({ name, text })
})

withHelm('the cluster of PostgreSQL', () => {
  const nightly = ['--set=scheduledBackup.schedule=0 0 2 * * *']
  const clusterOf = (...options: string[]) => template(chart, ...options)[0] as unknown as ICluster

  test('passes the strict lint and has only fields that the operator knows', () => {
    const { ok, output } = lint(chart)
    expect({ ok, said: ok ? '' : output }).toEqual({ ok: true, said: '' })
    const given = [
      '--set=walStorage.storageClass=fast,storage.storageClass=fast',
      ...nightly,
      '--set=backup.target=primary,backup.barmanObjectStore.destinationPath=s3://backups',
    ]
    expect(checkTypes([...template(chart), ...template(chart, ...given)])).toEqual([])
  })

  test('has a role for each service without special rights, and a migrator that is a member of the owners only', () => {
    const { managed, bootstrap } = clusterOf().spec
    const expected = Object.values(topology.services).flatMap(({ role }) => role ?? [])
    const [migrator] = managed!.roles.filter(({ name }) => name === 'lettergate_migrator')
    const others = managed!.roles.filter((role) => role !== migrator)
    expect(others.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
    for (const role of others)
      expect(role).toEqual({
        name: role.name,
        ensure: 'present',
        login: true,
        passwordSecret: { name: `lettergate-db-${role.name}` },
      })
    expect(migrator).toMatchObject({ inherit: false, inRoles: expected.map((name) => `${name}_owner`).toSorted() })
    expect(bootstrap!.initdb!.postInitApplicationSQL).toEqual(
      ['roles', 'owners'].map((name) => read(`charts/${chart}/files/${name}.sql`)),
    )
  })

  test('has base backups when it archives its log, because the log alone restores nothing', () => {
    const scheduled = (...options: string[]) =>
      template(chart, ...options).find(({ kind }) => kind === 'ScheduledBackup')
    expect(scheduled()).toBeUndefined()
    for (const archive of ['backup.retentionPolicy=30d', 'plugins[0].name=barman-cloud.cloudnative-pg.io'])
      expect(() => template(chart, `--set=${archive}`)).toThrow('scheduledBackup.schedule')
    const store = '--set=backup.barmanObjectStore.destinationPath=s3://backups'
    expect(scheduled(store, ...nightly)!.spec).toMatchObject({
      schedule: '0 0 2 * * *',
      cluster: { name: 'lettergate-db' },
      method: 'barmanObjectStore',
    })
    expect(() => template(chart, '--set=scheduledBackup.schedule=0 2 * * *')).toThrow('scheduledBackup.schedule')
    expect(() => template(chart, ...nightly, '--set=scheduledBackup.method=plugin')).toThrow('pluginName')
    const byPlugin = '--set=scheduledBackup.method=plugin,scheduledBackup.pluginName=barman-cloud.cloudnative-pg.io'
    const withPlugin = template(chart, ...nightly, byPlugin, '--set=plugins[0].name=barman-cloud.cloudnative-pg.io')
    expect(checkTypes(withPlugin)).toEqual([])
    expect(withPlugin.find(({ kind }) => kind === 'ScheduledBackup')!.spec).toMatchObject({
      method: 'plugin',
      pluginConfiguration: { name: 'barman-cloud.cloudnative-pg.io' },
    })
  })

  test('takes base backups only in a way that has a place to put them', () => {
    const plugin = '--set=plugins[0].name=barman-cloud.cloudnative-pg.io'
    const byPlugin = '--set=scheduledBackup.method=plugin,scheduledBackup.pluginName=barman-cloud.cloudnative-pg.io'
    expect(() => template(chart, ...nightly)).toThrow('backup.barmanObjectStore')
    expect(() => template(chart, ...nightly, plugin)).toThrow('backup.barmanObjectStore')
    expect(() => template(chart, ...nightly, '--set=scheduledBackup.method=volumeSnapshot')).toThrow(
      'backup.volumeSnapshot',
    )
    expect(() => template(chart, ...nightly, byPlugin)).toThrow('plugins')
    expect(() => template(chart, ...nightly, byPlugin, '--set=plugins[0].name=other')).toThrow('plugins')
    const snapshots = '--set=scheduledBackup.method=volumeSnapshot,backup.volumeSnapshot.className=fast'
    expect(checkTypes(template(chart, ...nightly, snapshots))).toEqual([])
  })

  test('starts from a backup to a point in time, and then makes no new database', () => {
    const source = '--set=recovery.source.name=lettergate-db,recovery.source.barmanObjectStore.serverName=lettergate-db'
    const restored = template(chart, source, '--set-string=recovery.targetTime=2026-11-26 10:00:00+00')
    expect(checkTypes(restored)).toEqual([])
    expect((restored[0] as unknown as ICluster).spec).toMatchObject({
      bootstrap: {
        recovery: {
          source: 'lettergate-db',
          database: 'lettergate',
          owner: 'lettergate',
          recoveryTarget: { targetTime: '2026-11-26 10:00:00+00' },
        },
      },
      externalClusters: [{ name: 'lettergate-db', barmanObjectStore: { serverName: 'lettergate-db' } }],
    })
    expect((restored[0] as unknown as ICluster).spec.bootstrap).not.toHaveProperty('initdb')
  })

  test('confirms no commit that a failover could lose, and its durability cannot be turned off', () => {
    expect(clusterOf().spec.postgresql!.synchronous).toEqual({ method: 'any', number: 1, dataDurability: 'required' })
    expect(() => template(chart, '--set=instances=1')).toThrow('synchronousStandbys must be smaller')
    expect(() => template(chart, '--set-string=parameters.fsync=off')).toThrow('parameters')
    expect(clusterOf('--set=instances=1,synchronousStandbys=0').spec.postgresql).not.toHaveProperty('synchronous')
  })

  test('takes the connections of every process that the values of production start at most, and of an update', () => {
    const at = (path: string, pattern: RegExp) => Number(pattern.exec(read(path))![1])
    const usual = at('libs/database/src/database.ts', /options\.poolMax \?\? (\d+)/)
    const defaultOf = (service: string, name: string) =>
      at(`services/${service}/src/config.ts`, new RegExp(`'${name}', \\{ default: (\\d+)`))
    const campaigns = 'services/campaigns-delivery/src/service.ts'
    const long = defaultOf('campaigns-delivery', 'DATABASE_LONG_POOL_MAX')
    const connections: Record<string, number> = {
      gateway: usual + at('services/gateway/src/audit-log/audit-exports.ts', /exportsAtOnce = (\d+)/),
      'contacts-consent':
        defaultOf('contacts-consent', 'DATABASE_POOL_MAX') + defaultOf('contacts-consent', 'DATABASE_LONG_POOL_MAX'),
      'sending-infra': usual + at('services/sending-infra/src/service.ts', /lookupsMax = (\d+)/),
      'campaigns-delivery': at(campaigns, /deliveryConcurrency \+ \d+ : (\d+)/) + long,
      'campaigns-delivery-worker':
        defaultOf('campaigns-delivery', 'DELIVERY_CONCURRENCY') + at(campaigns, /deliveryConcurrency \+ (\d+)/) + long,
    }
    const production = manifestsOf('production')
    const mostOf = (name: string, replicas: number) => {
      const scaler = production.find(
        ({ kind, metadata }) => /^(ScaledObject|HorizontalPodAutoscaler)$/.test(kind) && metadata.name === name,
      )?.spec as { maxReplicaCount?: number; maxReplicas?: number } | undefined
      return scaler?.maxReplicaCount ?? scaler?.maxReplicas ?? replicas
    }
    const sums = production
      .filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'lettergate-nats-streams')
      .map(({ metadata, spec }) => {
        const each = connections[metadata.labels!['app.kubernetes.io/component']!] ?? usual
        // one more of each process during an update
        return each * (mostOf(metadata.name, (spec as { replicas: number }).replicas) + 1)
      })
    expect(sums).toHaveLength(10)
    const needed = sums.reduce((sum, one) => sum + one, 0)
    expect(needed).toBeGreaterThan(800)
    const reserved = 20
    expect(Number(clusterOf().spec.postgresql!.parameters!['max_connections'])).toBeGreaterThanOrEqual(
      needed + reserved,
    )
  })

  test('services and migrations log in with the Secrets of their role, over TLS with the authority of the cluster', () => {
    const roles = clusterOf().spec.managed!.roles
    const secretOf = (name: string) => roles.find((role) => role.name === name)!.passwordSecret!.name
    const workloads = workloadsOf(manifestsOf('production')).filter(
      ({ component }) => component !== 'test' && component !== 'nats-streams',
    )
    expect(workloads.length).toBeGreaterThan(15)
    for (const { name, component, container, pod } of workloads) {
      const role = component === 'migration' ? 'lettergate_migrator' : topology.services[container.name]!.role!
      const environment = new Map(container.env!.map((one) => [one.name, one]))
      expect(environment.get('DATABASE_PASSWORD')!.valueFrom!.secretKeyRef).toEqual({
        name: secretOf(role),
        key: 'password',
      })
      const url = environment.get(component === 'migration' ? 'MIGRATION_DATABASE_URL' : 'DATABASE_URL')!.value
      expect({ name, url }).toEqual({
        name,
        url: `postgresql://${role}:$(DATABASE_PASSWORD)@lettergate-db-rw:5432/lettergate`,
      })
      // Kubernetes replaces only what is defined before.
      const order = container.env!.map((one) => one.name)
      expect(order.indexOf('DATABASE_PASSWORD')).toBeLessThan(order.findIndex((one) => one.endsWith('DATABASE_URL')))
      expect(environment.get('PGSSLMODE')!.value).toBe('verify-full')
      expect(pod.volumes).toContainEqual(expect.objectContaining({ name: 'database-authority' }))
    }
  })
})

describe('the values for the chart of NATS', () => {
  const file = read('deploy/nats/chart-values.yaml')
  const values = load(file) as {
    config: {
      cluster: { replicas: number }
      jetstream: { merge: { sync_interval: string } }
      merge: { authorization: { users: { nkey: string; permissions: Record<string, { allow: string[] }> }[] } }
    }
    container: { env: Record<string, unknown>; merge: Record<string, object> }
    reloader: { merge: Record<string, object> }
    natsBox: { enabled: boolean }
  }

  test('are made from the users of the broker, with the same rights as in nats-server.conf', () => {
    expect(file).toBe(chartValues())
    const { users } = values.config.merge.authorization
    expect(users.map(({ permissions }) => [permissions['publish']!.allow, permissions['subscribe']!.allow])).toEqual(
      configuredUsers((name) => name).map(({ permissions }) => [permissions!.publish, permissions!.subscribe]),
    )
    expect(users.map(({ nkey }) => nkey)).toEqual(userNames.map((name) => `<< $${keyVariable(name)} >>`))
    expect(Object.keys(values.container.env)).toEqual(userNames.map(keyVariable))
  })

  test('make pods that a namespace with the restricted profile takes, as the guide labels it', () => {
    expect(values.natsBox.enabled).toBe(false)
    for (const { merge } of [values.container, values.reloader])
      expect(merge['securityContext']).toMatchObject({
        allowPrivilegeEscalation: false,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      })
    expect(read('docs/how-to/install-on-kubernetes.md')).toContain('pod-security.kubernetes.io/enforce=restricted')
  })

  test('store each message on three servers and on the disk before it is confirmed', () => {
    const { cluster, jetstream } = values.config
    expect([cluster.replicas, jetstream.merge.sync_interval]).toEqual([3, 'always'])
    const production = load(read('charts/lettergate/values-production.yaml')) as { nats: { streamReplicas: number } }
    expect(production.nats.streamReplicas).toBe(cluster.replicas)
  })
})

test('only servers reach the port between servers of NATS, and only services reach the port of clients', () => {
  const policy = load(read('deploy/nats/network-policy.yaml')) as RenderedManifest
  expect(checkTypes([policy])).toEqual([])
  const { podSelector, policyTypes, ingress } = policy.spec as NonNullable<INetworkPolicy['spec']>
  const servers = { matchLabels: { 'app.kubernetes.io/name': 'nats' } }
  expect({ podSelector, policyTypes }).toEqual({ podSelector: servers, policyTypes: ['Ingress'] })
  // A server of the cluster publishes any subject, so this port is worth more than the seed of any user.
  expect(ingress).toEqual([
    {
      ports: [{ protocol: 'TCP', port: 4222 }],
      from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'lettergate' } } }],
    },
    { ports: [{ protocol: 'TCP', port: 6222 }], from: [{ podSelector: servers }] },
  ])
  for (const path of ['docs/how-to/install-on-kubernetes.md', 'deploy/kind/up'])
    expect(read(path)).toContain('--filename deploy/nats/network-policy.yaml')
})

withHelm('TLS of your own PostgreSQL', () => {
  test('an authority without a mode is refused, because connections would be plain text', () => {
    const authority = '--set=database.tls.caSecretName=postgres-ca'
    expect(() => template('lettergate', authority)).toThrow('database.tls.mode')
    expect(template('lettergate', authority, '--set=database.tls.mode=verify-full')).not.toEqual([])
  })
})

withHelm('the NATS of production', () => {
  test('is in the namespace of the services, and they can reach its pods', () => {
    const production = manifestsOf('production')
    const [url] = deploymentsOf(production)[0]!.container.env!.filter(({ name }) => name === 'NATS_URL')
    expect(url!.value).toBe('nats://nats:4222')
    const [policy] = production
      .filter(({ metadata }) => metadata.name === 'lettergate-imports')
      .filter(({ kind }) => kind === 'NetworkPolicy')
    expect((policy!.spec as { egress: object[] }).egress).toContainEqual({
      ports: [{ protocol: 'TCP', port: 4222 }],
      to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'nats' } } }],
    })
  })
})
