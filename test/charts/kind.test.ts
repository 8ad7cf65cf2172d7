import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { load, loadAll } from 'js-yaml'
import { filesBelow, read, root } from '@lettergate/guard/tree'
import { publicKeyOf } from '@lettergate/events/broker-keys'
import { newSecrets } from '@lettergate/kind/secrets'
import { checkTypes } from './check-types.ts'
import { configurationOf, environmentOf } from './configuration.ts'
import { withHelm, manifestsOf, template, type RenderedManifest } from './helm.ts'
import { deploymentsOf, workloadsOf } from './workloads.ts'

const given = { walletClientSecret: 'w', providerApiKey: 'p', providerSigningKey: 's'.repeat(16) }
const made = newSecrets({ release: 'lettergate', namespace: 'mail', cluster: 'lettergate-db' }, given)
const secretKey = (secret: string, key: string) =>
  made.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secret)?.stringData?.[key]
const manifestsIn = (file: string) => loadAll(read(`deploy/kind/${file}`)) as RenderedManifest[]
const kindValues = '--values=deploy/kind/values.yaml'

withHelm('the secrets of a new installation', () => {
  test('are all that the charts refer to, except certificates and what operators make', () => {
    const missing = workloadsOf([...manifestsOf('production'), ...template('lettergate', kindValues)]).flatMap(
      ({ container }) =>
        (container.env ?? []).flatMap(({ valueFrom }) => {
          const { name, key, optional } = valueFrom?.secretKeyRef ?? {}
          return key === undefined || optional === true || secretKey(name!, key) !== undefined ? [] : [`${name} ${key}`]
        }),
    )
    expect(missing).toEqual([])
    const roles = (
      template('lettergate-database')[0]!.spec as { managed: { roles: { passwordSecret: { name: string } }[] } }
    ).managed.roles
    for (const { passwordSecret } of roles) {
      expect(secretKey(passwordSecret.name, 'password')).toMatch(/^[0-9a-f]{48}$/)
      // Without this label the operator does not see that the password was changed.
      const { labels } = made.find(({ metadata }) => metadata.name === passwordSecret.name)!.metadata
      expect(labels).toEqual({ 'cnpg.io/reload': 'true' })
    }
  })

  test('are accepted by the configuration of each service', async () => {
    for (const { container } of deploymentsOf(manifestsOf('production'))) {
      const environment = environmentOf({ container })
      for (const { name, valueFrom } of container.env!) {
        const reference = valueFrom?.secretKeyRef
        if (reference?.key !== undefined && name !== 'DATABASE_PASSWORD')
          environment[name] = secretKey(reference.name!, reference.key) ?? ''
      }
      const { loadConfig } = await configurationOf(container.name)
      expect(() => loadConfig(environment)).not.toThrow()
    }
  })

  test('give each user of NATS a key, whose public part the values of NATS read', () => {
    const { data } = made.find(({ metadata }) => metadata.name === 'nats-nkeys')!
    const values = load(read('deploy/nats/chart-values.yaml')) as { container: { env: Record<string, object> } }
    expect(Object.keys(data!)).toEqual(Object.keys(values.container.env))
    expect(data!['NATS_NKEY_IMPORTS']).toBe(publicKeyOf(secretKey('lettergate-imports', 'NATS_NKEY_SEED')!))
    expect(new Set(Object.values(data!)).size).toBe(Object.keys(data!).length)
  })
})

withHelm('deploy/kind', () => {
  test('its values render, and its manifests have the fields of their kinds', () => {
    const manifests = [
      ...template('lettergate', kindValues),
      ...manifestsIn('outside-world.yaml'),
      ...manifestsIn('story.yaml'),
    ]
    expect(checkTypes(manifests)).toEqual([])
    for (const { pod, container } of workloadsOf(manifestsIn('outside-world.yaml').concat(manifestsIn('story.yaml')))) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  test('the services reach the outside world where it listens', () => {
    const ports = manifestsIn('outside-world.yaml')[0]!.spec as { ports: { port: number }[]; clusterIP: string }
    const environment = new Map(
      deploymentsOf(template('lettergate', kindValues)).flatMap(({ container }) =>
        (container.env ?? []).map(({ name, value }) => [name, value] as const),
      ),
    )
    const listening = ports.ports.map(({ port }) => port)
    for (const name of ['WALLET_BASE_URL', 'MAILPROVIDER_US_BASE_URL', 'MAILPROVIDER_EU_BASE_URL'])
      expect(listening).toContain(Number(new URL(environment.get(name)!).port))
    expect(environment.get('DNS_SERVERS')).toBe(`${ports.clusterIP}:8053`)
    const allowed = JSON.stringify(template('lettergate', kindValues).filter(({ kind }) => kind === 'NetworkPolicy'))
    for (const port of listening) expect(allowed).toContain(`"port":${port}`)
  })
})

test('the file with the secrets that the guide makes is in no commit and in no image', () => {
  const guide = read('docs/how-to/install-on-kubernetes.md')
  const [, file] = /make-secrets\.ts > (\S+?)'?\n/.exec(guide)!
  expect(read('.gitignore').split('\n')).toContain(`/${file}`)
  expect(read('.dockerignore').split('\n')).toContain(file)
})

test('the script is a valid shell script, and the files and programs that it names exist', () => {
  const script = read('deploy/kind/up')
  execFileSync('bash', ['-n', join(root, 'deploy/kind/up')])
  const named = [...script.matchAll(/\b(?:deploy|charts)\/[\w./-]+/g)].map(([path]) => path)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(named.length).toBeGreaterThan(8)
  const programs = filesBelow('deploy/kind')
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) =>
      [...read(path).matchAll(/args: \[(\S+\.ts)\]/g)].map(([, program]) =>
        program!.replace(/^main\//, 'deploy/kind/'),
      ),
    )
  expect(programs.length).toBeGreaterThan(2)
  expect(programs.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
