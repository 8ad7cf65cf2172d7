// make up | down | status
import { down } from './down.ts'
import { loadConfig } from './config.ts'
import { status } from './status.ts'
import { up } from './up.ts'

const tell = (line: string) => process.stdout.write(`${line}\n`)
const config = loadConfig()

async function upAndTell() {
  const stack = await up(config, tell)
  tell('')
  tell(`  API       ${stack.base_url}/api/v1      documentation ${stack.base_url}/docs`)
  tell(`  inbox     ${stack.provider_url}`)
  tell(`  wallet    ${stack.wallet_url}      a token to begin with: wallet-session-dev-owner`)
  tell(`  logs      ${config.stateDirectory}/logs      everything else: ${config.stateDirectory}/stack.json`)
}

try {
  if (process.argv[2] === 'up') await upAndTell()
  else if (process.argv[2] === 'down') await down(config, tell)
  else if (process.argv[2] === 'status') process.exitCode = (await status(config, tell)) ? 0 : 1
  else throw new Error('use it through make: up, down or status')
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`)
  process.exitCode = 1
}
process.exit()
