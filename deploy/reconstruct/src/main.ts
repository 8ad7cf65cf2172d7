// make reconstruct: emails and workflows of another system as templates and draft automations. See README.md.
import { environment } from './config.ts'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), {
  env: environment,
  print: (text) => void process.stdout.write(text),
})
