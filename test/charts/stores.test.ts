import { describe, expect, test } from '@jest/globals'
import { load } from 'js-yaml'
import { chartValues } from '@lettergate/nats/chart-values'
import { configuredUsers, keyVariable, userNames } from '@lettergate/nats/users'
import { read } from '@lettergate/guard/tree'
import { checkTypes } from './check-types.ts'
import type { ICluster } from './custom-resources.ts'
import { databaseFiles } from './database-files.ts'
import { withHelm, lint, manifestsOf, template } from './helm.ts'
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
      '--set=backup.target=primary',
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
    expect(scheduled('--set=backup.retentionPolicy=30d', ...nightly)!.spec).toMatchObject({
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
