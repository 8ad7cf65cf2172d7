// node deploy/nats/src/print-config.ts [namespace] > deploy/nats/nats-server.conf
import { serverConfigFile } from './server-config.ts'

process.stdout.write(serverConfigFile(process.argv[2]))
