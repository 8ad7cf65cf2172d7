// make up | observe | down | status
import { down } from './down.ts'
import { loadConfig } from './config.ts'
import { observe } from './observe.ts'
import { status } from './status.ts'
import { up } from './up.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)
const config = loadConfig()

async function upAndTell() {
  const stack = await up(config, print)
  print('')
  print(`  API       ${stack.base_url}/api/v1      documentation ${stack.base_url}/docs`)
  print(`  inbox     ${stack.provider_url}`)
  print(`  wallet    ${stack.wallet_url}      a token to begin with: wallet-session-dev-owner`)
  print(`  logs      ${config.stateDirectory}/logs      everything else: ${config.stateDirectory}/stack.json`)
}

try {
  if (process.argv[2] === 'up') await upAndTell()
  else if (process.argv[2] === 'observe') await observe(print)
  else if (process.argv[2] === 'down') await down(config, print)
  else if (process.argv[2] === 'status') process.exitCode = (await status(config, print)) ? 0 : 1
  else throw new Error('use it through make: up, observe, down or status')
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`)
  process.exitCode = 1
}
process.exit()
