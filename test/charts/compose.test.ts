import { expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { envFiles, envFileText } from '@lettergate/compose/env-files'
import { writeEnvFiles } from '@lettergate/compose/write-env-files'
import { variables as migrationVariables } from '@lettergate/database/config'
import { read, root } from '@lettergate/guard/tree'
import { newKeys } from '@lettergate/kind/new-keys'
import { schemas } from '@lettergate/single/schemas'
import { composeFile, replaced, variablesIn, type ComposeService } from './compose.ts'
import { configurationOf } from './configuration.ts'
import { configurationsIn, declaredIn, imageEnvironment, readBySingle, targets } from './single-process.ts'

const production = composeFile('compose.yaml')
const local = composeFile('compose.local.yaml')
const texts = ['compose.yaml', 'compose.local.yaml', 'local.env', 'example.env', 'passwords.sql', 'nats.conf'].map(
  (name) => read(`deploy/compose/${name}`),
)
const keys = newKeys({ walletClientSecret: 'w$ "x"', providerApiKey: 'p', providerSigningKey: 's'.repeat(16) })
const files = envFiles(keys)
const settingsOf = {
  production: variablesIn(read('deploy/compose/example.env')),
  local: variablesIn(read('deploy/compose/local.env')),
}

/** Every service of both files, the changes of the second one to the first one included. */
const both: [string, ComposeService][] = [...Object.entries(production.services), ...Object.entries(local.services)]
const alone = both.filter(([, { image }]) => image !== undefined)
const isJob = ({ restart }: ComposeService) => restart === 'no'

/** The environment of the container `single`: of its image, of its file with secrets, and of the files of docker compose. */
function environmentOfSingle(which: 'production' | 'local'): Record<string, string> {
  const own = {
    ...production.services['single']!.environment,
    ...(which === 'local' ? local.services['single']!.environment : {}),
  }
  return {
    ...imageEnvironment,
    ...variablesIn(envFileText(files['single.env']!)),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, replaced(value, settingsOf[which])])),
  }
}

test.each(['production', 'local'] as const)('every target accepts its environment (%s)', async (which) => {
  const environment = environmentOfSingle(which)
  const configurations = await configurationsIn(environment)
  for (const { name, service } of targets) {
    const { role } = schemas[service]!
    expect({ name, ...configurations[name] }).toMatchObject({
      name,
      bindAddress: '127.0.0.1',
      httpBindAddress: '0.0.0.0',
      natsNkeySeed: keys.ofProcess[service]!['NATS_NKEY_SEED'],
      databaseUrl: `postgresql://${role}:${keys.databasePasswords[role]}@database:5432/lettergate`,
    })
  }
  expect(configurations['gateway']).toMatchObject({
    walletClientSecret: 'w$ "x"',
    httpPort: 8080,
    consoleDirectory: '/app/console',
  })
  expect([environment['TARGET'], environment['HEALTH_PORT']]).toEqual(['all', '7100'])
})

test('sending is closed in production unless it is opened, and a setting without a default must be given', () => {
  expect(environmentOfSingle('production')).toMatchObject({
    DEPLOYMENT_ENVIRONMENT: 'production',
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false',
    TEST_SENDS_ENABLED: 'false',
  })
  const { BASE_URL: baseUrl } = production.services['single']!.environment!
  expect(() => replaced(baseUrl!, {})).toThrow('BASE_URL is not set')
})

/** What reads the environment of a container: declared variables, or the text of a file in which the variable stands. */
async function readerOf(name: string): Promise<(variable: string) => boolean> {
  const inFile = (path: string) => (variable: string) => new RegExp(`\\b${variable}\\b`).test(read(path))
  const declared = declaredIn(name === 'nats-streams' ? (await configurationOf(name)).variables : migrationVariables)
  const readers: Record<string, (variable: string) => boolean> = {
    database: (variable) => variable.startsWith('POSTGRES_') || inFile('deploy/compose/passwords.sql')(variable),
    nats: inFile('deploy/nats/nats-server.conf'),
    'nats-streams': (variable) => declared.has(variable),
    migrate: (variable) => declared.has(variable),
    'create-workspace': (variable) => variable === 'DATABASE_URL',
    single: await readBySingle(),
    wallet: inFile('deploy/local/wallet/config.ts'),
    'mail-provider': inFile('deploy/local/mail-provider/config.ts'),
    story: inFile('deploy/kind/config.ts'),
  }
  return readers[name]!
}

test.each(both)(
  'what reads the environment of %s knows every variable',
  async (name, { environment = {}, env_file: given }) => {
    const isKnown = await readerOf(name)
    const secrets = [given ?? []]
      .flat()
      .flatMap((file) => (typeof file === 'string' ? [file.replace('secrets/', '')] : []))
    const variables = [...Object.keys(environment), ...secrets.flatMap((file) => Object.keys(files[file]!))]
    expect(variables.length).toBeGreaterThan(0)
    expect(variables.filter((variable) => !isKnown(variable))).toEqual([])
  },
)

test('no container is given the secrets of another, and every file has a container', () => {
  const given = alone.flatMap(([name, { env_file: file }]) =>
    [file ?? []]
      .flat()
      .flatMap((one) => (typeof one === 'string' ? [[one.replace('secrets/', ''), name] as const] : [])),
  )
  const users = Object.fromEntries(
    Object.keys(files).map((file) => [file, given.filter(([one]) => one === file).map(([, name]) => name)]),
  )
  expect(users).toEqual({
    'database.env': ['database'],
    'nats.env': ['nats'],
    'nats-streams.env': ['nats-streams'],
    'migrate.env': ['migrate'],
    'single.env': ['single'],
    // Both write users and workspaces.
    'identity.env': ['create-workspace', 'story'],
  })
})

test('no secret stands in a file of the repository, and the files with secrets cannot get into it or into an image', async () => {
  const secret = new Set(['MIGRATION_DATABASE_URL'])
  for (const { service } of targets)
    for (const variable of Object.values((await configurationOf(service)).variables))
      if (variable.secret) secret.add(variable.name)
  const named = both
    .flatMap(([, { environment = {} }]) => Object.keys(environment))
    .filter((name) => secret.has(name.replace(/^.*__/, '')) || /PASSWORD|_KEYS?$|SEED|SECRET/.test(name))
  expect(named).toEqual([])
  expect(secret.size).toBeGreaterThan(8)
  for (const text of texts)
    expect(text).not.toMatch(/\bS[UA][A-Z2-7]{56}\b|:\/\/[^/\s:]+:[^/\s@$]+@|[\w-]{40,}(?<!_)=|[0-9a-f]{32}/)
  for (const file of ['.gitignore', '.dockerignore'])
    expect(
      read(file)
        .split('\n')
        .map((line) => line.replace(/\/$/, '')),
    ).toEqual(expect.arrayContaining(['deploy/compose/secrets', 'deploy/compose/.env', 'deploy/compose/settings.env']))
})

test('every image has a version: those of the stores are the tested ones, and those of Lettergate can be built', () => {
  const tested = read('libs/stage/src/infra.ts')
  const built = new Set(both.flatMap(([, { image, build }]) => (build === undefined ? [] : [image])))
  const { version } = JSON.parse(read('package.json')) as { version: string }
  for (const [name, { image }] of alone) {
    const shown = replaced(image, {})
    expect({ name, shown }).toEqual({ name, shown: expect.stringMatching(/^[a-z-]+(\/[a-z-]+)?:\d[\w.-]*$/) })
    if (shown.startsWith('lettergate/')) expect([built.has(image), shown.endsWith(`:${version}`)]).toEqual([true, true])
    else expect(tested).toContain(`'${shown}'`)
  }
  for (const [, { build }] of both)
    if (build !== undefined) {
      expect(existsSync(join(root, 'deploy', build.args.SERVICE, 'package.json'))).toBe(true)
      expect(read('Dockerfile')).toContain(` AS ${build.target}\n`)
    }
})

test('each container has a health check or is a job, waits for what can be waited for, and runs with few rights', () => {
  const all = Object.fromEntries(alone)
  for (const [name, service] of alone) {
    expect({ name, isChecked: service.healthcheck !== undefined }).toEqual({ name, isChecked: !isJob(service) })
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const can = isJob(all[other]!) ? 'service_completed_successfully' : 'service_healthy'
      expect({ name, other, condition }).toEqual({ name, other, condition: can })
    }
    expect({ name, security: service.security_opt, memory: service.mem_limit }).toEqual({
      name,
      security: ['no-new-privileges:true'],
      memory: expect.stringMatching(/^\d+[mg]$/),
    })
    // The image of PostgreSQL starts as root and changes the owner of its folder.
    if (name !== 'database') expect({ name, ...service }).toMatchObject({ name, read_only: true, cap_drop: ['ALL'] })
  }
})

test('only loopback reaches the published ports, and the stores reach nothing outside', () => {
  const ports = both.flatMap(([name, { ports: published = [] }]) => published.map((port) => `${name} ${port}`))
  expect(ports).toEqual(['8080', '8081', '8090', '8091'].map((port) => `single 127.0.0.1:${port}:${port}`))
  expect(production.networks!['stores']).toEqual({ internal: true })
  const outside = alone.filter(([, { networks, network_mode: mode }]) => !mode && networks?.join() !== 'stores')
  expect(outside.map(([name]) => name)).toEqual(['single'])
})

test('the files and programs that the containers use exist, and a new database runs the statements in order', () => {
  for (const [, { volumes = [], command = [], entrypoint = [], image }] of alone) {
    for (const volume of volumes.filter((one) => one.startsWith('.')))
      expect(existsSync(join(root, 'deploy/compose', volume.split(':')[0]!))).toBe(true)
    const folder = image.includes('/kind:') ? 'deploy/kind' : 'deploy/single/'
    for (const program of [...entrypoint, ...command].filter((one) => one.endsWith('.ts')))
      expect([program, existsSync(join(root, program.replace(/^main/, folder)))]).toEqual([program, true])
  }
  const scripts = production.services['database']!.volumes!.flatMap((one) => /initdb\.d\/(.*):ro$/.exec(one)?.[1] ?? [])
  expect(scripts).toEqual(['1-roles.sql', '2-owners.sql', '3-passwords.sql'])
})

test('the health check asks the port of the process in its image', () => {
  const { test: check } = production.services['single']!.healthcheck!
  expect(replaced(check.at(-1)!, {})).toContain('`http://127.0.0.1:${process.env.HEALTH_PORT}/readyz`')
  expect(imageEnvironment['HEALTH_PORT']).toBe('7100')
  // A port that the image sets for every process would collide with those of the targets.
  const ports = targets.flatMap(({ defaults }) => [
    defaults['HEALTH_PORT'],
    defaults['RPC_PORT'],
    defaults['HTTP_PORT'],
  ])
  expect(ports).not.toContain(imageEnvironment['HEALTH_PORT'])
})

test('each role that logs in gets its own password', () => {
  const text = read('deploy/compose/passwords.sql')
  const roles = Object.keys(keys.databasePasswords)
  for (const role of roles) {
    expect(text).toContain(`\\getenv ${role} ${role.toUpperCase()}_PASSWORD\n`)
    expect(text).toContain(`alter role ${role} password :'${role}';\n`)
    expect(files['database.env']![`${role.toUpperCase()}_PASSWORD`]).toBe(keys.databasePasswords[role])
  }
  expect(text.match(/^alter role/gm)).toHaveLength(roles.length)
  expect(new Set(Object.values(files['database.env']!)).size).toBe(roles.length + 1)
})

test('the files with secrets are readable only by their owner, and are never written over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lettergate-compose-'))
  try {
    const secrets = join(folder, 'secrets')
    expect(() => writeEnvFiles(secrets, { 'x.env': { X: "it's" } })).toThrow('X must not contain a quote')
    expect(existsSync(secrets)).toBe(false)
    writeEnvFiles(secrets, files)
    expect(readdirSync(secrets).toSorted()).toEqual(Object.keys(files).toSorted())
    expect([secrets, join(secrets, 'single.env')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
    expect(variablesIn(readFileSync(join(secrets, 'single.env'), 'utf8'))).toEqual(files['single.env'])
    expect(() => writeEnvFiles(secrets, files)).toThrow('An installation keeps its keys')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
