import { TWILIO_DOMAIN } from "./authority.ts";
import type { HostSettings } from "./host-settings.ts";

/** Lines to paste so that programs of each language find this server under Twilio's names and trust it. */
export function hostInstructions(file: string, settings: HostSettings): string {
  const { twilioHosts, twilioAddress, twilioHttpsPort, twilioProxyPort } = settings;
  const hosts = twilioHosts.join(" ");
  const where =
    twilioHttpsPort === null
      ? "They are not served yet: start the server with LONGWAVE_TWILIO_API=1 and LONGWAVE_TWILIO_HTTPS_PORT=443."
      : `They are served on ${twilioAddress}, port ${twilioHttpsPort}; programs ask port 443.`;
  const proxy =
    twilioProxyPort === null
      ? "Start the server with LONGWAVE_TWILIO_PROXY_PORT=8080 for it."
      : `It listens on ${twilioAddress}, port ${twilioProxyPort}.`;
  const proxyPort = twilioProxyPort ?? 8080;
  return `${file}
The authority of this installation. It can vouch for hosts of ${TWILIO_DOMAIN} alone. A program that
trusts it and finds these names here takes this server for Twilio.

1. Names, on the machine of the program: a line of /etc/hosts, with this server's address.

127.0.0.1 ${hosts}

${where}

Or no names, and a proxy that leads to them and refuses every other host. ${proxy}

Node.js                export HTTP_PROXY=http://127.0.0.1:${proxyPort}   (Twilio's own client alone reads it)
Python, Ruby, Go, PHP  export HTTPS_PROXY=http://127.0.0.1:${proxyPort}
Java                   java -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${proxyPort} …

2. Trust, in the program's environment. FILE is the certificate above, where the program reads it.

Node.js   export NODE_EXTRA_CA_CERTS=FILE
Python    cat "$(python3 -m certifi)" FILE > bundle.pem && export REQUESTS_CA_BUNDLE=$PWD/bundle.pem
          Older clients of Twilio's read no variable: cat FILE >> "$(python3 -m certifi)"
Ruby, Go  cat /etc/ssl/certs/ca-certificates.crt FILE > bundle.pem && export SSL_CERT_FILE=$PWD/bundle.pem
Java      keytool -importcert -noprompt -cacerts -storepass changeit -alias longwave-twilio -file FILE
PHP, .NET, and all others that use the system's store (Debian, Ubuntu, Alpine):
          cp FILE /usr/local/share/ca-certificates/longwave-twilio.crt && update-ca-certificates

Docker, in the program's service of compose.yaml (SERVER is this server's address):
    extra_hosts: [${twilioHosts.map((host) => `"${host}:SERVER"`).join(", ")}]
    volumes: ["./twilio-ca.pem:/twilio-ca.pem:ro"]
    environment: { NODE_EXTRA_CA_CERTS: /twilio-ca.pem }

3. The program's own settings: your account sid (AC…) and auth token, as docs/coming-from-twilio.md says.
`;
}
