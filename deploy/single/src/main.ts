// Runs several services in one process: TARGET=all, or TARGET=gateway,campaigns-delivery-worker.
import { ConfigError } from '@lettergate/service/config'
import { runTogether } from '@lettergate/service/run'
import { chooseTargets } from './choose-targets.ts'
import { loadConfig } from './config.ts'
import { healthOfAll } from './health-of-all.ts'
import { targetEnvironment } from './target-environment.ts'

try {
  const { target, healthPort, environment } = loadConfig()
  const chosen = chooseTargets(target)
  const programs = chosen.map((one) => one.program(targetEnvironment(environment, one, chosen)))
  await runTogether(programs, (services) => healthOfAll(services, healthPort))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`lettergate: ${error.message}\n`)
  process.exit(78)
}
