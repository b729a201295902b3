"""One HTTP service as a child process: `python -m riacho schema-registry FILE`, with its log in the data directory."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.child_process import ChildProcess, child_environment, properties_text
from riacho.cli.supervisor.services import SERVICES, Service
from riacho.pipelines.spark.archive_later import LATER
from riacho.pipelines.spark.class_archive import VARIABLE as CLASS_ARCHIVE


class ServiceProcess(ChildProcess):
    def __init__(self, directory: DataDir, service: Service, port: int, properties: Mapping[str, str]) -> None:
        super().__init__()
        self.service = service
        self.label = service.name
        self.port = port
        self.log = directory.service_log(service.name)
        self._directory = directory
        self.properties = dict(properties)

    def spawn(self) -> None:
        self._directory.create()
        path = self._directory.service_properties(self.service.name)
        # Only for its owner: what was given may hold passwords.
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(properties_text({**self.properties, "riacho.log.file": str(self.log)}))
        # Settings meant for a service that runs alone are not for this one.
        environment = child_environment("KAFKA_BOOTSTRAP_SERVERS", *(other.variables for other in SERVICES.values()))
        # Whoever tries `riacho up` again finds Spark quicker to start.
        environment.setdefault(CLASS_ARCHIVE, LATER)
        self._run([self.service.name, str(path)], environment)
