// Drives the parser over a file of documents and writes what comes out of it as lines of hexadecimal numbers.
//
// +input=FILE: for each document a 32-bit little-endian length and the bytes. +output=FILE:
//   W type index count data          a word of the document that is being parsed
//   D                                that document has no more words
//   V verdict code offset bytes first-word-clock verdict-clock
// +apart holds a document back until the verdict on the one before. +stalls=SEED makes the source idle and the sinks slow at random.
// Clocks are counted as by the Verilated driver, from the first one in reset.

`timescale 1ns / 1ps
`include "layout.vh"

module parse_bench;
    reg clk = 0, rst = 1;
    reg i_valid = 0, o_ready = 0, verdict_ready = 0;
    reg [`I__PAYLOAD_WIDTH-1:0] i_payload = 0;
    wire i_ready, o_valid, verdict_valid;
    wire [`O__PAYLOAD_WIDTH-1:0] o_payload;
    wire [`VERDICT__PAYLOAD_WIDTH-1:0] verdict_payload;

    scbxp dut (
        .clk(clk), .rst(rst),
        .i__valid(i_valid), .i__ready(i_ready), .i__payload(i_payload),
        .o__valid(o_valid), .o__ready(o_ready), .o__payload(o_payload),
        .verdict__valid(verdict_valid), .verdict__ready(verdict_ready), .verdict__payload(verdict_payload),
        .request__valid(1'b0), .request__payload({`REQUEST__PAYLOAD_WIDTH{1'b0}}), .response__ready(1'b1),
        .pram_documents__ready(1'b1), .pram_read_position({`PRAM_READ_POSITION_WIDTH{1'b0}})
    );

    integer input_file, output_file, got, byte_read, seed, stalls, apart;
    integer clock, started, finished, ended, idle;
    integer first_word [0:1023];
    reg [8191:0] path;
    reg [31:0] length_bytes;
    integer left, at_start, more, position;
    reg took;

    // Reads the length of the next document, if there is one.
    task next_document;
        begin
            got = $fread(length_bytes, input_file);
            more = got == 4;
            left = {length_bytes[7:0], length_bytes[15:8], length_bytes[23:16], length_bytes[31:24]};
            at_start = 1;
        end
    endtask

    // Puts the next word of the document on the port.
    task offer;
        begin
            i_payload = 0;
            position = 0;
            while (position < 4 && left > 0) begin
                byte_read = $fgetc(input_file);
                i_payload = i_payload | ((byte_read & 255) << (8 * position));
                position = position + 1;
                left = left - 1;
            end
            i_payload[`I_COUNT] = position;
            i_payload[`I_LAST] = left == 0;
            i_valid = 1;
        end
    endtask

    function free_now(input integer one_in);
        free_now = stalls == 0 || $urandom(seed) % one_in != 0;
    endfunction

    initial begin
        stalls = $value$plusargs("stalls=%d", seed) != 0;
        apart = $test$plusargs("apart");
        if (!$value$plusargs("input=%s", path)) $finish(2);
        input_file = $fopen(path, "rb");
        if (!$value$plusargs("output=%s", path)) $finish(2);
        output_file = $fopen(path, "w");
        started = 0;
        finished = 0;
        ended = 0;
        idle = 0;
        for (clock = 0; clock < 4; clock = clock + 1) begin
            #1 clk = 0;
            #1 clk = 1;
        end
        #1 clk = 0; rst = 0;
        // The name table is cleared after reset; that counts for no document.
        for (clock = clock; clock < 4 + 4096; clock = clock + 1) begin
            #1 clk = 1;
            #1 clk = 0;
        end
        next_document;
        while ((more || i_valid || finished < started || ended < started) && idle < 200000) begin
            if (!i_valid && more && !(apart && at_start && started > finished) && free_now(3)) offer;
            o_ready = free_now(4);
            verdict_ready = free_now(4);
            #1;
            idle = idle + 1;
            took = i_valid && i_ready;
            if (o_valid && o_ready) begin
                idle = 0;
                if (o_payload[`O_TEXT_VALID])
                    $fwrite(output_file, "W %h %h %h %h\n", 3'd`O_MARK_TYPE_TEXT, o_payload[`O_TEXT_INDEX], o_payload[`O_TEXT_COUNT], o_payload[`O_TEXT_DATA]);
                if (o_payload[`O_MARK_VALID])
                    $fwrite(output_file, "W %h %h %h %h\n", o_payload[`O_MARK_TYPE], o_payload[`O_MARK_INDEX], o_payload[`O_MARK_COUNT], o_payload[`O_MARK_DATA]);
                if (o_payload[`O_DONE]) begin
                    $fwrite(output_file, "D\n");
                    ended = ended + 1;
                end
            end
            if (verdict_valid && verdict_ready) begin
                $fwrite(output_file, "V %h %h %h %h %h %h\n", verdict_payload[`VERDICT_VERDICT], verdict_payload[`VERDICT_CODE],
                        verdict_payload[`VERDICT_OFFSET], verdict_payload[`VERDICT_BYTES], first_word[finished % 1024], clock);
                finished = finished + 1;
            end
            if (took) begin
                idle = 0;
                if (at_start) begin
                    first_word[started % 1024] = clock;
                    started = started + 1;
                end
                at_start = 0;
            end
            clk = 1;
            #1;
            clock = clock + 1;
            if (took) begin
                i_valid = 0;
                if (i_payload[`I_LAST]) next_document;
            end
            clk = 0;
        end
        $fclose(output_file);
        $finish(0);
    end
endmodule
