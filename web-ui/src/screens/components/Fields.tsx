import { useState } from "preact/hooks";
import { Combobox } from "../../components/Combobox";
import { FilterSelect } from "../../components/FilterSelect";
import { SearchBox } from "../../components/SearchBox";

const CODECS = ["producer", "zstd", "lz4", "snappy", "gzip"];

export function Fields() {
  const [choice, setChoice] = useState("zstd");
  const [text, setText] = useState("");
  return (
    <div class="gallery-three">
      <div class="field">
        <label for="gallery-text">Text</label>
        <input id="gallery-text" class="input" placeholder="placeholder" />
        <span class="hint">What belongs here.</span>
      </div>
      <div class="field">
        <label for="gallery-wrong">Wrong</label>
        <input id="gallery-wrong" class="input" aria-invalid="true" value="a b" />
        <span class="wrong">Why it cannot be taken.</span>
      </div>
      <div class="field">
        <label for="gallery-disabled">Disabled</label>
        <input id="gallery-disabled" class="input" disabled value="as it is" />
      </div>
      <div class="field">
        <label for="gallery-combobox">Combobox</label>
        <Combobox id="gallery-combobox" value={choice} options={CODECS} onChange={setChoice} isStrict />
      </div>
      <div class="field">
        <label for="gallery-combobox-wrong">Combobox, wrong</label>
        <Combobox id="gallery-combobox-wrong" value="brotli" options={CODECS} onChange={setChoice} isInvalid describedBy="gallery-combobox-why" />
        <span id="gallery-combobox-why" class="wrong">
          Why it cannot be taken.
        </span>
      </div>
      <div class="field">
        <label for="gallery-combobox-disabled">Combobox, disabled</label>
        <Combobox id="gallery-combobox-disabled" value="zstd" options={CODECS} onChange={setChoice} isDisabled />
      </div>
      <SearchBox value={text} label="Search" onSearch={setText} />
      <FilterSelect label="Filter" value={choice} options={[["", "Any"], ["zstd", "zstd"], ["lz4", "lz4"]]} onChange={setChoice} />
      <div class="row">
        <label class="check">
          <input type="checkbox" defaultChecked /> on
        </label>
        <label class="check">
          <input type="checkbox" /> off
        </label>
        <label class="check">
          <input type="radio" name="gallery" defaultChecked /> one
        </label>
      </div>
    </div>
  );
}
