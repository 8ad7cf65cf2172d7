import { parseArgs } from 'node:util'
import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { connect } from '@lettergate/rpc'
import { createService, type Service } from '@lettergate/service'
import { ConfigError } from '@lettergate/service/config'
import { dangersIn, loadConfig, programName, targetsOf, type ReconstructConfig } from './config.ts'
import { readMapping } from './mapping.ts'
import { planOf } from './plan.ts'
import { readExport } from './read-export.ts'
import { reconstruct, type ReconstructionClients, type ReconstructionPlace } from './reconstruct.ts'
import { exitCodes, listed, ReconstructionRefusal } from './refusal.ts'
import { planText, resultText } from './report-text.ts'

const usage =
  'Usage: make reconstruct DIR=… [WORKSPACE=acme/newsletter] [OPERATOR=owner] [MAPPING=mapping.json] [DRY_RUN=true]'

/** Runs the program and returns its exit status. Nothing is written before every check of the export and the environment. */
export async function run(
  args: readonly string[],
  { env, print }: { env: NodeJS.ProcessEnv; print: (text: string) => void },
): Promise<number> {
  try {
    const { folder, mappingPath, isDryRun, place } = readArguments(args)
    const config = loadConfig(env)
    const dangers = dangersIn(config)
    if (dangers.length > 0)
      throw new ReconstructionRefusal(
        'environment',
        `legacy content is never reconstructed where something could be sent:\n${listed(dangers)}`,
      )
    const mapping = await readMapping(mappingPath)
    const plan = await planOf(await readExport(folder), mapping)
    if (isDryRun) {
      print(planText(plan))
      return exitCodes.done
    }
    const objects = await withClients(config, (clients) => reconstruct(clients, place, plan))
    print(resultText(objects))
    return objects.some(({ outcome }) => outcome === 'refused') ? exitCodes.partial : exitCodes.done
  } catch (error) {
    if (error instanceof ReconstructionRefusal) {
      print(`${error.kind === 'usage' ? '' : 'Refused: '}${error.message}\n`)
      return exitCodes[error.kind]
    }
    if (error instanceof ConfigError) {
      print(`${error.message}\n`)
      return exitCodes.usage
    }
    throw error
  }
}

interface Arguments {
  folder: string
  mappingPath: string | undefined
  isDryRun: boolean
  place: ReconstructionPlace
}

function readArguments(args: readonly string[]): Arguments {
  const options = {
    workspace: { type: 'string', default: 'acme/newsletter' },
    operator: { type: 'string', default: 'owner' },
    mapping: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  } as const
  let read
  try {
    read = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new ReconstructionRefusal('usage', `${(error as Error).message}\n${usage}`)
  }
  const [folder = '', ...others] = read.positionals
  const [organization, workspace, ...more] = read.values.workspace.split('/')
  if (
    folder === '' ||
    others.length > 0 ||
    !organization ||
    !workspace ||
    more.length > 0 ||
    read.values.operator === ''
  )
    throw new ReconstructionRefusal('usage', usage)
  return {
    folder,
    mappingPath: read.values.mapping,
    isDryRun: read.values['dry-run'],
    place: { organization, workspace, operator: read.values.operator },
  }
}

async function withClients<T>(
  config: ReconstructConfig,
  work: (clients: ReconstructionClients) => Promise<T>,
): Promise<T> {
  const targets = await targetsOf(config)
  const { logLevel, rpcTimeoutMs } = config
  const service: Service = createService(programName, { logLevel, rpcTimeoutMs, tls: targets.tls })
  try {
    return await work({
      identity: await service.use(connect(service, targets.identity, Identity)),
      campaigns: await service.use(connect(service, targets.campaigns, CampaignsDelivery)),
      automations: await service.use(connect(service, targets.automations, Automations)),
    })
  } finally {
    await service.stop()
  }
}
